import {
  defineSchedule,
  defineWorkflow,
  type Reference,
  type Schedule,
  type ScheduleTick,
  type ValueOrReference,
} from 'stepward'
import type { Chance } from './chance.js'
import { named, type Receipt } from './agents.js'
import type { Mood } from './remote.js'
import { completeWithinMs, names } from './setup.js'

interface TickInput {
  readonly schedule: string
  readonly due: string
}

/** The workflow of quick ticks. Its two steps take turns at a limit, which they share with other jobs of the run. */
const ticked = defineWorkflow<TickInput>('ticked', (job) => {
  const nap = job.sleep('nap', 500)
  for (const id of ['a', 'b']) {
    job.step<{ moods: readonly Mood[] }, Receipt>(
      id,
      named.remote.act,
      { moods: ['slow'] },
      {
        after: [nap],
        completeWithin: completeWithinMs,
        retry: { tries: 5, backoff: { min: 100, max: 200 } },
        limits: [{ key: names.limit, atOnce: 1 }],
      },
    )
  }
})

/** A workflow that takes about three seconds, because the answer of its first call comes too late. */
const long = defineWorkflow<TickInput>('long-ticked', (job) => {
  const common = { completeWithin: completeWithinMs, retry: { tries: 5, backoff: { min: 100, max: 200 } } }
  const undo = (output: { readonly receipt: unknown }): ReturnType<typeof named.remote.undo> =>
    named.remote.undo({ moods: [], receipt: output.receipt as number })
  const nap = job.sleep('nap', 500)
  const first = job.step<{ moods: readonly Mood[] }, Receipt>(
    'a',
    named.remote.act,
    { moods: ['late'] },
    { ...common, after: [nap], undo },
  )
  job.step<{ moods: readonly Mood[] }, Receipt>(
    'b',
    named.remote.act,
    { moods: ['slow'] },
    { ...common, after: [first], undo },
  )
})

const input = (tick: Reference<ScheduleTick>): ValueOrReference<TickInput> => {
  return { schedule: tick.scheduleId, due: tick.due }
}

/** A schedule whose runs take longer than a tick, so some ticks are skipped. */
const ticking = defineSchedule('ticking', { every: '1s', workflow: ticked, input, overlap: 'skip' })

/** Cron schedules whose runs often take as long as a tick. */
const cron = '*/3 * * * * *'
const queueing = defineSchedule('queueing', { cron, workflow: long, input, overlap: 'queue' })
const cancelling = defineSchedule('cancelling', { cron, workflow: long, input, overlap: 'cancelPrevious' })

const schedules: readonly Schedule[] = [ticking, queueing, cancelling]

/** Returns the schedules with these ids, or `ticking` and another one if there are none. */
export function schedulesOf(ids: readonly string[], chance: Chance): readonly Schedule[] {
  if (ids.length === 0) return [ticking, chance.of([queueing, cancelling])]
  return schedules.filter(({ id }) => ids.includes(id))
}
