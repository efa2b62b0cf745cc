import { systemClock } from '../../src/platform/index.js'
import { systemRandom } from '../../src/platform/internal.js'
import type { JobReport } from './job-scene.js'
import { simulateJobs } from './simulate-jobs.js'
import { simulateProcessor } from './simulate.js'
import { simulateSchedules } from './simulate-schedules.js'
import { SeedProcess } from './seed-process.js'
import { countsOf, Totals } from './totals.js'

/** The worlds to simulate: processors alone, jobs on top of them, or schedules of jobs. */
export const worlds = ['processor', 'jobs', 'schedules'] as const
export type WorldName = (typeof worlds)[number]

/** One reproducible run. */
export interface SeededRun {
  readonly world: WorldName
  readonly seed: number
  /** For `jobs`, the number of jobs. */
  readonly size: number
}

/** When to stop simulating further seeds: after a time, or a number of jobs. */
export interface Extent {
  readonly minutes: number
  readonly jobs: number
  readonly worlds: readonly WorldName[]
  readonly size: number
  /** The number of processes that simulate concurrently. */
  readonly processes: number
  /** Whether to report failures and continue. */
  readonly isKeptGoing: boolean
}

export type SeededReport = Pick<JobReport, 'seed' | 'hash' | 'eventCount' | 'problems' | 'faults'> &
  Partial<JobReport>

const [toldEvery, repeatedEvery] = [25, 10] as const

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function simulateSeed({ world, seed, size }: SeededRun): Promise<SeededReport> {
  if (world === 'jobs') return simulateJobs(seed, size)
  return world === 'schedules' ? simulateSchedules(seed) : simulateProcessor(seed)
}

/** Prints the report of one run, and the command that repeats it. */
export function tell(report: Omit<SeededReport, 'seed'>, command: string): void {
  say(`${report.eventCount} events, hash ${report.hash}`)
  for (const [fault, count] of [...report.faults].sort()) say(`  ${count} × ${fault}`)
  for (const problem of report.problems) say(`  BROKEN ${problem}`)
  say(`Repeat it: npm run simulate -- ${command}`)
}

/** Returns the arguments that repeat a run. */
export function commandOf({ world, seed, size }: SeededRun): string {
  return `--world ${world} --seed ${seed}${world === 'jobs' ? ` --size ${size}` : ''}`
}

/** Makes a run and returns its report. If it is repeated, a different second run is a problem. */
export async function judged(run: SeededRun, isRepeated: boolean): Promise<SeededReport> {
  const report = await simulateSeed(run)
  if (!isRepeated) return report
  const { hash } = await simulateSeed(run)
  if (hash === report.hash) return report
  const problem = `the second run went another way, to hash ${hash}`
  return { ...report, problems: [...report.problems, problem] }
}

/**
 * Simulates seed after seed, each world in turn and every tenth run twice, until the extent is reached or a
 * run fails.
 */
export async function simulateSeeds(extent: Extent): Promise<void> {
  const baseSeed = Math.floor(systemRandom.next() * 2 ** 31)
  const beganAtMs = systemClock.monotonic()
  const elapsedMs = (): number => systemClock.monotonic() - beganAtMs
  const totals = new Totals()
  let [begun, broken] = [0, 0]
  const isOver = (): boolean =>
    elapsedMs() >= extent.minutes * 60_000 ||
    totals.jobs >= extent.jobs ||
    (broken > 0 && !extent.isKeptGoing)
  const progress = (): string => `after ${Math.round(elapsedMs() / 1000)} s: ${String(totals)}`
  const simulateInTurn = async (judge: typeof judged): Promise<void> => {
    while (!isOver()) {
      const number = begun++
      const world = extent.worlds[number % extent.worlds.length] ?? 'jobs'
      const run = { world, seed: baseSeed + number, size: extent.size }
      const report = await judge(run, number % repeatedEvery === 0)
      totals.add(report)
      say(`npm run simulate -- ${commandOf(run)}: ${countsOf(report)}, hash ${report.hash}`)
      if (report.problems.length > 0) {
        broken += 1
        process.exitCode = 1
        tell(report, commandOf(run))
      }
      if (totals.runs % toldEvery === 0) say(progress())
    }
  }
  say(`base seed ${baseSeed}`)
  const processes =
    extent.processes === 1 ? [] : Array.from({ length: extent.processes }, () => new SeedProcess())
  const judges = processes.map(
    (other): typeof judged =>
      (run, isRepeated) =>
        other.judged(run, isRepeated),
  )
  await Promise.all((judges.length === 0 ? [judged] : judges).map(simulateInTurn))
  for (const other of processes) other.end()
  const verdict = broken === 0 ? 'nothing broken' : `${broken} runs broken`
  say(`${progress()}, ${(totals.jobs / (elapsedMs() / 1000)).toFixed(0)} jobs/s: ${verdict}`)
}
