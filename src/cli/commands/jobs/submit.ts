import { systemClock, type Clock } from '../../../platform/index.js'
import { counted, errorMessage } from '../../../platform/internal.js'
import {
  JobConflict,
  JobFailed,
  SubmissionInvalid,
  type Job,
  type JobClient,
  type Json,
  type Workflow,
} from '../../../sas/index.js'
import { isReplyTo, replyToRule } from '../../../sas/internal.js'
import type { Telemetry } from '../../../telemetry/index.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { readJsonLines, type JsonLine } from '../../output/json-lines.js'
import { inParallel } from '../../output/in-parallel.js'
import { firstProblems } from '../../output/problems.js'
import { missingRoles, notingStandstill, type Standstill } from '../../output/standstill.js'
import { holdsStore } from '../../input/data-directory.js'
import { withClient, withSettings } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { keptTerms, termsOf, type SubmissionTerms } from '../../input/submission-terms.js'
import type { Terminal } from '../../output/terminal.js'
import { loadUserModule, modulePath, workflowNamed } from '../../input/user-module.js'

export interface SubmitOptions extends StoreOptions {
  readonly workflows?: string
  readonly replyTo?: string
  readonly notify?: readonly string[]
  readonly tag?: readonly string[]
  readonly priority?: string
  readonly completeWithin?: string
  readonly retainFor?: string
  readonly partitionKey?: string
  readonly jobId?: string
  readonly wait?: boolean
  /** The clock that measures the time since the last change. Default: the machine's clock. */
  readonly clock?: Clock
}

interface Submission {
  readonly line: number
  readonly input: unknown
  readonly jobId: string
}

/**
 * Submits one job for every line of a JSON Lines file, after checking the whole file. A job that already
 * exists with the same payload counts as submitted.
 */
export async function submit(
  workflowName: string,
  file: string,
  options: SubmitOptions,
  terminal: Terminal,
): Promise<number> {
  const { replyTo, clock = systemClock } = options
  if (replyTo !== undefined && !isReplyTo(replyTo)) {
    throw new CliError(`--reply-to ${JSON.stringify(replyTo)} ${replyToRule}`, exitCodes.usage)
  }
  const terms = termsOf(options)
  const isNewStore = options.data !== undefined && !holdsStore(options.data)
  // A file that is missing must not leave a new data directory behind.
  const lines = await readJsonLines(file)
  return withSettings(options, async (settings) => {
    const path = modulePath(options.workflows, settings.module, '--workflows')
    const workflow = workflowNamed(workflowName, await loadUserModule(path), path)
    const submissions = checked(withJobId(workflow, options.jobId), lines, file)
    if (submissions.length === 0)
      terminal.note(`stepward: ${whatIsRead(file)} is empty, so nothing was submitted`)
    const newIds = new Set<string>()
    const emit: Telemetry['emit'] = (event) => {
      if (event.type === 'job.submitted' && event.isNew) newIds.add(event.jobId)
    }
    const standstill = { terminal, clock, look: () => missingRoles(settings, options) }
    const code = await withClient(
      settings,
      (client) => submitAll({ client, workflow, submissions, terms, options, terminal, newIds, standstill }),
      { emit },
    )
    if (isNewStore) await noteNewStore(options, standstill)
    return code
  })
}

/** Warns that the directory had no store, because its name may be misspelt and then no instance runs the jobs. */
async function noteNewStore(
  { data = '' }: SubmitOptions,
  { terminal, look }: Pick<Standstill, 'terminal' | 'look'>,
): Promise<void> {
  const standing = await look().catch(() => null)
  const told = standing === null ? '' : `: ${standing}`
  terminal.note(`stepward: --data ${data} held no store, so a new one was created there${told}`)
}

function whatIsRead(file: string): string {
  return file === '-' ? 'standard input' : file
}

/** Gives the job of a workflow that defines no ids the id of the option. Two lines would then have the same id. */
function withJobId(workflow: Workflow<unknown>, jobId: string | undefined): Workflow<unknown> {
  if (jobId === undefined) return workflow
  if (workflow.submission.jobId === undefined)
    return { ...workflow, submission: { ...workflow.submission, jobId: () => jobId } }
  const rule = 'defines the ids of its jobs: leave out --job-id'
  throw new CliError(`workflow ${workflow.name} ${rule}`, exitCodes.usage)
}

/** Returns a submission for every line. Throws one error that lists all problems. */
function checked(
  workflow: Workflow<unknown>,
  lines: readonly JsonLine[],
  file: string,
): readonly Submission[] {
  const { parse, jobId } = workflow.submission
  if (jobId === undefined) {
    const rule =
      'does not define the ids of its jobs: name the id of one job with --job-id, or let the workflow define them'
    throw new CliError(`workflow ${workflow.name} ${rule}`, exitCodes.usage)
  }
  const problems: string[] = []
  const seen = new Map<string, { readonly line: number; readonly text: string }>()
  const submissions = lines.flatMap(({ line, value }): Submission[] => {
    try {
      const input = parse === undefined ? value : parse(value)
      const wrong = workflow.checkInput?.(input as Json) ?? []
      if (wrong.length > 0) throw new Error(wrong.join('; '))
      const id: unknown = jobId(input)
      if (typeof id !== 'string' || id === '') throw new Error(noId(workflow, id))
      const text = JSON.stringify(value)
      const earlier = seen.get(id)
      if (earlier !== undefined && earlier.text !== text) {
        throw new Error(`id ${JSON.stringify(id)} is on line ${earlier.line} already, with another payload`)
      }
      seen.set(id, { line, text })
      return earlier === undefined ? [{ line, input, jobId: id }] : []
    } catch (error) {
      problems.push(`line ${line}: ${errorMessage(error)}`)
      return []
    }
  })
  if (problems.length === 0) return submissions
  throw new CliError(`${file}: ${firstProblems(problems)} (nothing was submitted)`, exitCodes.usage)
}

/** Explains where an id comes from, because the file and the module may belong to different people. */
function noId({ name }: Workflow<unknown>, id: unknown): string {
  const made = typeof id === 'string' ? 'an empty text' : 'no text'
  return (
    `the job has no id: the function "jobId" of workflow ${name} returned ${made}; ` +
    'give the line the field that this function reads, or correct the function'
  )
}

interface Work {
  readonly client: JobClient
  readonly workflow: Workflow<unknown>
  readonly submissions: readonly Submission[]
  readonly terms: SubmissionTerms
  readonly options: SubmitOptions
  readonly terminal: Terminal
  readonly newIds: ReadonlySet<string>
  readonly standstill: Standstill
}

interface Summary {
  readonly workflow: string
  readonly submitted: number
  /** The number of submitted jobs that did not exist before. */
  readonly new: number
  /** Lines whose job id already belongs to a different submission. */
  readonly conflicts: readonly string[]
  /** Lines that are refused until they are corrected. */
  readonly invalid: readonly string[]
  /** Jobs that ended in a state other than Processed. */
  readonly failures: readonly string[]
}

async function submitAll(work: Work): Promise<number> {
  const { workflow, options, terminal, newIds, submissions } = work
  const done = {
    jobs: [] as Job[],
    conflicts: [] as string[],
    invalid: [] as string[],
    failures: [] as string[],
  }
  const isText = options.json !== true
  const summary = (): Summary => {
    const { jobs, ...found } = done
    return { workflow: workflow.name, submitted: jobs.length, new: newIds.size, ...found }
  }
  try {
    await submitLines(work, done)
    const { length: submitted } = done.jobs
    if (isText) terminal.print(acceptedText(workflow.name, submitted, newIds.size))
    const kept = keptTerms(options, submitted - newIds.size)
    if (kept !== null) terminal.note(`stepward: ${kept}`)
    if (options.wait === true) await awaitEnds(work, done)
  } catch (error) {
    // A script must learn what was done before the store was lost.
    if (!isText) terminal.print(JSON.stringify({ ...summary(), error: errorMessage(error) }))
    throw error
  }
  if (!isText) terminal.print(JSON.stringify(summary()))
  else if (options.wait === true) printEnded(summary(), terminal)
  refuse(summary(), submissions.length)
  return done.failures.length > 0 ? exitCodes.failed : exitCodes.ok
}

/** What the command has done so far. */
interface Done {
  readonly jobs: Job[]
  readonly conflicts: string[]
  readonly invalid: string[]
  readonly failures: string[]
}

/** Submits every line, even if other lines are refused. */
async function submitLines(
  { client, workflow, submissions, terms, terminal }: Work,
  { jobs, conflicts, invalid }: Done,
): Promise<void> {
  const progress = { word: 'submitted', reached: () => jobs.length, terminal }
  await inParallel(submissions, progress, async ({ input, jobId, line }) => {
    try {
      jobs.push(await client.submit(workflow, input, { jobId, ...terms }))
    } catch (error) {
      if (error instanceof SubmissionInvalid) invalid.push(`line ${line}: ${error.message}`)
      else if (error instanceof JobConflict) conflicts.push(`line ${line}: ${error.message}`)
      else throw error
    }
  })
}

/** Waits for the submitted jobs to end. Adds a message for each job that did not succeed. */
async function awaitEnds({ terminal, standstill }: Work, { jobs, failures }: Done): Promise<void> {
  let ended = 0
  const progress = { word: 'ended', reached: () => ended, terminal }
  await notingStandstill(standstill, (changed) =>
    inParallel(jobs, progress, async (job) => {
      try {
        await job.result()
      } catch (error) {
        if (!(error instanceof JobFailed)) throw error
        failures.push(error.message)
      }
      ended += 1
      changed()
    }),
  )
}

function acceptedText(workflow: string, submitted: number, newCount: number): string {
  const others = newCount === submitted ? '' : `, ${newCount} of them new`
  return `${counted(submitted, 'job')} of ${workflow} accepted${others}`
}

function printEnded({ submitted, failures }: Summary, terminal: Terminal): void {
  terminal.print(
    `${counted(submitted - failures.length, 'job')} ended Processed, ${failures.length} in another state`,
  )
  for (const failure of failures) terminal.print(`  ${failure}`)
}

/**
 * Throws if lines were refused. The exit code is `conflict` if all refused lines have a conflicting id,
 * `usage` if every line is invalid (so nothing was done), and otherwise `failed`.
 */
function refuse({ submitted, conflicts, invalid }: Summary, total: number): void {
  const problems = [...invalid, ...conflicts]
  if (problems.length === 0) return
  const isAboutIds = invalid.length === 0
  const advice = isAboutIds ? '' : '; correct the invalid lines and submit them again'
  const message = `${firstProblems(problems)} (${submitted} of ${total} submitted${advice})`
  const otherwise = problems.length === total && conflicts.length === 0 ? exitCodes.usage : exitCodes.failed
  throw new CliError(message, isAboutIds ? exitCodes.conflict : otherwise)
}
