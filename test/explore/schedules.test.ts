import { describe, expect, it } from 'vitest'
import { exploreTicks, productionTicks, scheduleWorlds, type TickDecisions } from './schedule-world.js'

const [ticks] = scheduleWorlds
const { decideTick } = productionTicks

/** Decisions without one guard each, and the violation that the search must find. */
const broken: readonly {
  readonly guard: string
  readonly change: Partial<TickDecisions>
  readonly says: RegExp
}[] = [
  { guard: 'the etag of a schedule', change: { isWrittenWhenStale: true }, says: /^I23/u },
  { guard: 'the correction of a count', change: { withLateJobs: () => null }, says: /^I23: \d jobs/u },
  {
    guard: 'the look for the job of a tick that is passed over',
    change: { decideTick: (schedule, facts) => decideTick(schedule, { ...facts, isSubmitted: false }) },
    says: /with a job is passed over/u,
  },
  { guard: 'the job before the schedule', change: { isWrittenFirst: true }, says: /^I23/u },
  {
    guard: 'the time in which a missed tick is submitted',
    change: {
      decideTick: (schedule, facts) => decideTick(schedule, { ...facts, now: facts.now + 3_600_000 }),
    },
    says: /could be submitted/u,
  },
]

describe('every reachable state of a schedule with two supervisors (I23)', () => {
  it.each(scheduleWorlds)('in the world $name counts each tick once', (world) => {
    const { violation, isComplete, states } = exploreTicks(world)
    expect(violation).toBeNull()
    expect(isComplete).toBe(true)
    expect(states).toBeGreaterThan(500)
  })

  it.each(broken)('is found broken without $guard', ({ change, says }) => {
    if (ticks === undefined) throw new Error('there is no world')
    const { violation } = exploreTicks(ticks, { decisions: { ...productionTicks, ...change } })
    expect(violation?.problem).toMatch(says)
  })
})
