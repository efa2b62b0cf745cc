import { systemClock, systemRandom } from '../../src/platform/index.js'
import type { JobReport } from './job-scene.js'
import { simulateJobs } from './simulate-jobs.js'
import { simulateProcessor } from './simulate.js'
import { SeedProcess } from './seed-process.js'
import { countsOf, Totals } from './totals.js'

/** What is simulated: processors alone, or jobs on top of them. */
export const worlds = ['processor', 'jobs'] as const
export type WorldName = (typeof worlds)[number]

/** One run that can be repeated. */
export interface SeededRun {
  readonly world: WorldName
  readonly seed: number
  /** Of `jobs`: how many. */
  readonly size: number
}

/** Until when seed follows seed: a time, or a number of jobs. */
export interface Extent {
  readonly minutes: number
  readonly jobs: number
  readonly worlds: readonly WorldName[]
  readonly size: number
  /** How many simulate side by side. */
  readonly processes: number
  /** Whether what breaks is told, and the rest simulated nevertheless. */
  readonly isKeptGoing: boolean
}

export type SeededReport = Pick<JobReport, 'seed' | 'hash' | 'eventCount' | 'problems' | 'faults'> &
  Partial<JobReport>

const [toldEvery, repeatedEvery] = [25, 10] as const

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function simulateSeed({ world, seed, size }: SeededRun): Promise<SeededReport> {
  return world === 'jobs' ? simulateJobs(seed, size) : simulateProcessor(seed)
}

/** Everything that one run was, and how to have it again. */
export function tell(report: Omit<SeededReport, 'seed'>, command: string): void {
  say(`${report.eventCount} events, hash ${report.hash}`)
  for (const [fault, count] of [...report.faults].sort()) say(`  ${count} × ${fault}`)
  for (const problem of report.problems) say(`  BROKEN ${problem}`)
  say(`Repeat it: npm run simulate -- ${command}`)
}

/** What a command is given to repeat a run. */
export function commandOf({ world, seed, size }: SeededRun): string {
  return `--world ${world} --seed ${seed}${world === 'jobs' ? ` --size ${size}` : ''}`
}

/** What became of a run; where it is repeated, that it went another way the second time is a problem. */
export async function judged(run: SeededRun, isRepeated: boolean): Promise<SeededReport> {
  const report = await simulateSeed(run)
  if (!isRepeated) return report
  const { hash } = await simulateSeed(run)
  if (hash === report.hash) return report
  const problem = `the second run went another way, to hash ${hash}`
  return { ...report, problems: [...report.problems, problem] }
}

/** Seed after seed, each world in turn, every tenth run twice, until the extent is reached or something breaks. */
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
