import { costReport, daysPerMonth, type CostReport } from '../../../operations/index.js'
import type { CostQuestion } from '../../../sas/internal.js'
import { exitCodes } from '../../output/cli-error.js'
import { Problems } from '../../output/problems.js'
import { table, type Terminal } from '../../output/terminal.js'
import { wholeNumber } from '../../input/whole-number.js'

export interface CostOptions {
  readonly steps: string
  readonly claimedSteps: string
  readonly documentKb: string
  readonly indexing: string
  readonly partitions: string
  readonly instances: string
  readonly jobsPerDay: string
  readonly notifier: boolean
  readonly json?: boolean
}

export async function cost(options: CostOptions, terminal: Terminal): Promise<number> {
  const { question, jobsPerDay } = await asked(options)
  const report = costReport(question, jobsPerDay)
  terminal.print(options.json === true ? JSON.stringify(report) : textOf(report, question, jobsPerDay))
  return exitCodes.ok
}

async function asked(
  options: CostOptions,
): Promise<{ readonly question: CostQuestion; readonly jobsPerDay: number }> {
  const problems = new Problems()
  const whole = async (option: string, text: string, min: number, max: number): Promise<number> =>
    (await problems.trying(() => wholeNumber(option, text, { min, max }))) ?? Number.NaN
  const steps = await whole('--steps', options.steps, 1, 1_000)
  const question = {
    steps,
    claimedSteps: await whole(
      '--claimed-steps',
      options.claimedSteps,
      0,
      Number.isNaN(steps) ? 1_000 : steps,
    ),
    documentKilobytes: Number(options.documentKb),
    indexing: options.indexing === 'full' ? 'full' : 'lean',
    partitions: await whole('--partitions', options.partitions, 1, 10_000),
    instances: await whole('--instances', options.instances, 1, 1_000),
    isTogether: true,
    hasNotifier: options.notifier,
  } as const
  const jobsPerDay = await whole('--jobs-per-day', options.jobsPerDay, 0, 1e9)
  if (!(question.documentKilobytes > 0 && question.documentKilobytes <= 2_048)) {
    problems.add(`--document-kb ${JSON.stringify(options.documentKb)} must be above 0, and at most 2048`)
  }
  if (options.indexing !== question.indexing) {
    problems.add(`--indexing ${JSON.stringify(options.indexing)} must be lean or full`)
  }
  problems.refuse()
  return { question, jobsPerDay }
}

function textOf(
  { jobs, tickCharge, limitCharge, idle, ...sums }: CostReport,
  question: CostQuestion,
  jobsPerDay: number,
): string {
  const { together, apart } = jobs
  const both = (what: keyof CostReport['jobs']['together']): readonly string[] => [
    rounded(together[what]),
    rounded(apart[what]),
  ]
  const perJob = table(
    [`A JOB OF ${question.steps} STEPS`, 'ONE PROCESS', 'ROLES APART'],
    [
      ['write requests', ...both('writeRequests')],
      ['writes, RU', ...both('writeCharge')],
      [`change feed of ${question.hasNotifier ? 'four' : 'three'} units, RU at most`, ...both('feedCharge')],
      ['together, RU at most', ...both('totalCharge')],
    ],
  )
  const atRest = table(
    ['WITHOUT WORK, PER SECOND', 'RU'],
    [
      ['polls', rounded(idle.polls)],
      ['lease renewals', rounded(idle.renewals)],
      ['checks of leases', rounded(idle.looksAtLeases)],
      ['sweeps for overlooked work', rounded(idle.sweeps)],
      ['reads of pauses', rounded(idle.pauses)],
      ['together', rounded(idle.total)],
    ],
  )
  const mean = `${jobsPerDay.toLocaleString('en')} jobs a day: ${rounded(sums.meanCharge)} RU/s on average`
  const month = `${rounded(sums.monthlyCharge / 1e6)} million RU in ${daysPerMonth} days`
  const perTick = `a tick of a schedule: ${rounded(tickCharge)} RU besides the submission of its job`
  const perLimit = `a limit: 2 requests and ${rounded(limitCharge)} RU for each step or job that has room`
  return [perJob, '', perTick, perLimit, '', atRest, '', `${mean}, ${month}`].join('\n')
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Math.round(value * 100) / 100)
}
