import { seededRandom } from '../../src/platform/index.js'
import {
  defineAgent,
  defineSchedule,
  defineWorkflow,
  type Agent,
  type JobClient,
} from '../../src/sas/index.js'
import { Faults, harsh } from '../../src/testing/faults.js'
import { JobFleet, stateContainer } from '../../src/testing/job-fleet.js'
import { Person } from '../../src/testing/person.js'
import type { SimulatedProcess } from '../../src/testing/simulated-process.js'
import { World } from '../../src/testing/world.js'
import { Chaos } from './chaos.js'
import type { JobReport } from './job-scene.js'
import { ScheduleChecker } from './schedule-checker.js'
import { hostsOf } from './simulate-jobs.js'

const minuteMs = 60_000
const [everyMs, faultyMs] = [30_000, 5 * minuteMs] as const
/** The catch up, the takeover of a dead host's leases, and clocks that were wrong until now. */
const recoveryMs = 10 * minuteMs
const overlaps = ['skip', 'queue', 'allow', 'cancelPrevious'] as const
const timing = {
  leaseAcquireInterval: 3_400,
  leaseExpirationInterval: 12_000,
} as const

export type ScheduleReport = Pick<
  JobReport,
  'seed' | 'hash' | 'eventCount' | 'problems' | 'faults' | 'acknowledged'
>

/**
 * Makes one run of schedules with every overlap, first under all faults, then under none. Operators pause and
 * resume one of them, run it at once and backfill its pause.
 */
export async function simulateSchedules(seed: number): Promise<ScheduleReport> {
  const random = seededRandom(seed)
  const hosts = hostsOf(random)
  const faults = new Faults({ random: seededRandom(seed ^ 0x5eed), rates: harsh })
  const world = new World({ seed, fateOf: (request) => faults.fateOf(request) })
  const fleet = new JobFleet(world, {
    agents: (process) => [clerk(world, process)],
    partitionCount: 1 + Math.floor(random.next() * 3),
    timing,
    sweepIntervalMs: 6_000,
    rolesOn: (computer) => hosts.find((host) => host.computer === computer)?.roles ?? [],
  })
  const checker = new ScheduleChecker(everyMs)
  world.watch(checker)
  const computers = hosts.map(({ computer }) => computer)
  const chaos = new Chaos({
    world,
    unit: fleet,
    container: stateContainer,
    computers,
    intervalMs: 12_000,
    mostPartitions: 6,
    restartChance: 0.5,
    isStalling: true,
  })
  for (const computer of computers) fleet.start(computer)
  operate(world, fleet)
  chaos.start()
  await world.runUntil(() => false, faultyMs)
  chaos.stop()
  faults.stop()
  const keepRunning = (): void => {
    for (const computer of computers) if (fleet.processOn(computer) === null) fleet.start(computer)
    world.time.schedule(5_000, keepRunning)
  }
  keepRunning()
  chaos.mendClocks()
  const untilMs = world.time.now() + 4 * minuteMs
  const isOver = await world.runUntil(() => checker.hasCounted(untilMs), recoveryMs)
  if (!isOver && world.problems.length === 0) {
    world.problems.push(`I23: after ${recoveryMs} ms without faults, a schedule is behind`)
  }
  if (world.problems.length === 0) world.problems.push(...checker.left())
  const { problems, eventCount } = world
  return {
    seed,
    hash: world.digest(),
    eventCount,
    problems,
    faults: faults.counts,
    acknowledged: checker.jobs.size,
  }
}

/** An agent whose work takes up to twice the time between two ticks. */
function clerk(world: World, process: SimulatedProcess): Agent {
  return defineAgent('clerk', {
    count: () =>
      new Promise<object>((resolve) => {
        process.clock.schedule(world.random.next() * 2 * everyMs, () => resolve({}))
      }),
  })
}

const plan = defineAgent('clerk', { count: () => Promise.resolve({}) })
const workflow = defineWorkflow('counting', (job) => {
  job.step('count', plan.count, {}, { undo: 'none', completeWithin: '2m' })
})

/** Lets operators store the schedules, and give commands about the one that allows overlaps. */
function operate(world: World, fleet: JobFleet): void {
  for (const overlap of overlaps) {
    const id = `ticks-${overlap.toLowerCase()}`
    const schedule = defineSchedule(id, { workflow, every: everyMs, overlap, catchUp: '2m', jitter: '5s' })
    insist(world, fleet, 0, (client) => client.schedules.set(schedule))
  }
  const id = 'ticks-allow'
  const from = new Date(world.time.now() + minuteMs)
  const to = new Date(world.time.now() + 3 * minuteMs)
  insist(world, fleet, minuteMs, (client) => client.schedules.pause(id, { why: 'stocktaking' }))
  insist(world, fleet, 3 * minuteMs, (client) => client.schedules.resume(id, { why: 'done' }))
  insist(world, fleet, 4 * minuteMs, (client) => client.schedules.trigger(id, { why: 'at once' }))
  // All ticks of this time are counted by now, because they were due longer ago than they are made up for.
  insist(world, fleet, faultyMs + 2 * minuteMs, (client) => client.schedules.backfill(id, { from, to }))
}

function insist(
  world: World,
  fleet: JobFleet,
  atMs: number,
  task: (client: JobClient) => Promise<unknown>,
): void {
  world.time.schedule(atMs, () => {
    const operator = new Person(world, fleet, 'operator')
    operator.insist(
      async (client) => {
        await task(client)
      },
      () => undefined,
    )
  })
}
