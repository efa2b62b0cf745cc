/**
 * `npm run simulate -- --minutes 10`: simulates seed after seed, each twice, until the time is over or something breaks.
 * `npm run simulate -- --seed 7`: the one run that a failure names, and what happened in it.
 * `npm run simulate -- --fleets`: how soon fleets come to rest, beside .NET's rule, and how fast they are simulated.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { systemClock, systemRandom } from '../../src/platform/index.js'
import { compare, tableOf, type Comparison } from './convergence.js'
import { fleetOf } from './fleet.js'
import type { Report } from './scene.js'
import { simulateProcessor } from './simulate.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '1' },
    fleets: { type: 'boolean' },
  },
})

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function tell({ seed, hash, eventCount, recoveredInMs, problems, faults }: Report): void {
  say(
    `seed ${seed}: ${eventCount} events, right again after ${Math.round(recoveredInMs / 1000)} s, hash ${hash}`,
  )
  for (const [fault, count] of [...faults].sort()) say(`  ${count} × ${fault}`)
  for (const problem of problems) say(`  BROKEN ${problem}`)
}

/** Whether everything held, and happened the same way twice. */
async function holds(seed: number): Promise<Report | null> {
  const report = await simulateProcessor(seed)
  const again = await simulateProcessor(seed)
  if (report.problems.length === 0 && report.hash === again.hash) return report
  tell(report)
  if (report.hash !== again.hash) say(`  BROKEN the second run went another way, to hash ${again.hash}`)
  say(`Repeat it: npm run simulate -- --seed ${seed}`)
  process.exitCode = 1
  return null
}

async function simulateFor(minutes: number): Promise<void> {
  const baseSeed = Math.floor(systemRandom.next() * 2 ** 31)
  const endsAtMs = systemClock.monotonic() + minutes * 60_000
  say(`base seed ${baseSeed}, ${minutes} minutes`)
  let [runs, events, slowestMs] = [0, 0, 0]
  while (systemClock.monotonic() < endsAtMs) {
    const report = await holds(baseSeed + runs)
    if (report === null) return
    runs += 1
    events += report.eventCount
    slowestMs = Math.max(slowestMs, report.recoveredInMs)
    if (runs % 50 === 0) say(`${runs} seeds, ${events} events`)
  }
  say(
    `${runs} seeds, each twice, ${events} events: nothing broken; slowest recovery ${Math.round(slowestMs / 1000)} s`,
  )
}

async function showFleets(): Promise<void> {
  const sizes = [
    [2, 100],
    [10, 100],
    [50, 100],
    [100, 1_000],
  ] as const
  const comparisons: Comparison[] = []
  for (const [hostCount, leaseCount] of sizes) comparisons.push(await compare(hostCount, leaseCount))
  say(tableOf(comparisons))
  const startedAtMs = systemClock.monotonic()
  const { world, unit, computers } = fleetOf({ seed: 1, hostCount: 100, leaseCount: 500 })
  for (const computer of computers) unit.start(computer)
  await world.runUntil(() => false, 10 * 60_000)
  const seconds = (systemClock.monotonic() - startedAtMs) / 1000
  say(`100 hosts, 500 leases, 10 minutes: simulated in ${seconds.toFixed(1)} s`)
}

if (values.fleets === true) await showFleets()
else if (values.seed === undefined) await simulateFor(Number(values.minutes))
else {
  const report = await holds(Number(values.seed))
  if (report !== null) tell(report)
}
