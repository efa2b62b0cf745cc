import { systemClock, systemRandom } from '../../src/platform/index.js'
import type { JobReport } from './job-scene.js'
import { simulateJobs } from './simulate-jobs.js'
import { simulateProcessor } from './simulate.js'
import { Totals } from './totals.js'

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
}

type SeededReport = Pick<JobReport, 'seed' | 'hash' | 'eventCount' | 'problems' | 'faults'> &
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

/** The run's report if everything held and, where it is repeated, happened the same way twice; else null, and says why. */
export async function holds(run: SeededRun, isRepeated: boolean): Promise<SeededReport | null> {
  const report = await simulateSeed(run)
  const hashAgain = isRepeated ? (await simulateSeed(run)).hash : report.hash
  if (report.problems.length === 0 && report.hash === hashAgain) return report
  const problems = [...report.problems]
  if (report.hash !== hashAgain) problems.push(`the second run went another way, to hash ${hashAgain}`)
  tell({ ...report, problems }, commandOf(run))
  process.exitCode = 1
  return null
}

/** Seed after seed, each world in turn, every tenth run twice, until the extent is reached or something breaks. */
export async function simulateSeeds(extent: Extent): Promise<void> {
  const baseSeed = Math.floor(systemRandom.next() * 2 ** 31)
  const beganAtMs = systemClock.monotonic()
  const elapsedMs = (): number => systemClock.monotonic() - beganAtMs
  const totals = new Totals()
  const progress = (): string => `after ${Math.round(elapsedMs() / 1000)} s: ${String(totals)}`
  say(`base seed ${baseSeed}`)
  while (elapsedMs() < extent.minutes * 60_000 && totals.jobs < extent.jobs) {
    const { runs } = totals
    const world = extent.worlds[runs % extent.worlds.length] ?? 'jobs'
    const run = { world, seed: baseSeed + runs, size: extent.size }
    const report = await holds(run, runs % repeatedEvery === 0)
    if (report === null) return
    totals.add(report)
    if (totals.runs % toldEvery === 0) say(progress())
  }
  say(`${progress()}, ${(totals.jobs / (elapsedMs() / 1000)).toFixed(0)} jobs/s: nothing broken`)
}
