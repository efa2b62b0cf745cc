/**
 * `npm run simulate -- --minutes 10` simulates seed after seed, processors, jobs and schedules in turn, until
 * the time is over or a run fails. Options: `--world jobs` simulates only jobs, `--jobs 1000000` stops after this
 * many, `--size 500` sets the jobs of one run, `--processes 2` runs processes concurrently, `--keep-going`
 * continues after a failure. `npm run simulate -- --world jobs --seed 7` and
 * `npm run simulate -- --scenario retry --fault crashAfter@W3#1` repeat the one run that a failure names, and
 * print its events. `npm run simulate:full` simulates every ordered pair of faults in every scenario;
 * `-- --scenario retry` in that one only. `npm run simulate -- --fleets` prints how soon fleets converge,
 * compared with .NET's rule, and how fast they are simulated.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/platform/index.js'
import { compare, tableOf, type Comparison } from './convergence.js'
import { argumentsFor, simulateFaults } from './crash-points.js'
import { faultFrom } from '../../src/testing/fault-place.js'
import { fleetOf } from './fleet.js'
import { simulatePairs } from './run-pairs.js'
import { everyScenario } from './scenarios.js'
import { commandOf, judged, simulateSeeds, tell, worlds } from './run-seeds.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string' },
    jobs: { type: 'string' },
    size: { type: 'string', default: '40' },
    processes: { type: 'string', default: '1' },
    'keep-going': { type: 'boolean', default: false },
    world: { type: 'string' },
    scenario: { type: 'string' },
    fault: { type: 'string', multiple: true, default: [] },
    pairs: { type: 'boolean' },
    fleets: { type: 'boolean' },
  },
})

async function showFleets(): Promise<void> {
  const sizes = [
    [2, 100],
    [10, 100],
    [50, 100],
    [100, 1_000],
  ] as const
  const comparisons: Comparison[] = []
  for (const [hostCount, leaseCount] of sizes) comparisons.push(await compare(hostCount, leaseCount))
  process.stdout.write(`${tableOf(comparisons)}\n`)
  const startedAtMs = systemClock.monotonic()
  const { world, unit, computers } = fleetOf({ seed: 1, hostCount: 100, leaseCount: 500 })
  for (const computer of computers) unit.start(computer)
  await world.runUntil(() => false, 10 * 60_000)
  const seconds = (systemClock.monotonic() - startedAtMs) / 1000
  process.stdout.write(`100 hosts, 500 leases, 10 minutes: simulated in ${seconds.toFixed(1)} s\n`)
}

async function repeatFaults(scenario: string): Promise<void> {
  const planned = values.fault.map(faultFrom)
  const report = await simulateFaults(scenario, planned)
  if (report.problems.length > 0) process.exitCode = 1
  tell(report, argumentsFor(scenario, planned))
}

async function repeatSeed(seed: number): Promise<void> {
  const run = { world: wantedWorlds[0] ?? 'processor', seed, size: Number(values.size) }
  const report = await judged(run, true)
  if (report.problems.length > 0) process.exitCode = 1
  tell(report, commandOf(run))
}

const wantedWorlds = worlds.filter((world) => values.world === undefined || values.world === world)
if (wantedWorlds.length === 0) throw new RangeError(`--world is one of ${worlds.join(', ')}`)

if (values.fleets === true) await showFleets()
else if (values.pairs === true)
  await simulatePairs(
    values.scenario === undefined ? everyScenario.map(({ name }) => name) : [values.scenario],
  )
else if (values.scenario !== undefined) await repeatFaults(values.scenario)
else if (values.seed !== undefined) await repeatSeed(Number(values.seed))
else {
  const minutes = Number(values.minutes ?? (values.jobs === undefined ? 1 : Infinity))
  const jobs = Number(values.jobs ?? Infinity)
  const [size, processes] = [Number(values.size), Number(values.processes)]
  const isKeptGoing = values['keep-going']
  await simulateSeeds({ minutes, jobs, worlds: wantedWorlds, size, processes, isKeptGoing })
}
