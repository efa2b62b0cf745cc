import {
  isReplyTo,
  JobConflict,
  JobFailed,
  replyToRule,
  SubmissionInvalid,
  type Job,
  type JobClient,
  type Workflow,
} from '../../sas/index.js'
import { CliError, exitCodeOf, exitCodes } from '../cli-error.js'
import { readJsonLines, type JsonLine } from '../json-lines.js'
import { withClient, withSettings } from '../store.js'
import type { StoreOptions } from '../store-options.js'
import { bar, type Terminal } from '../terminal.js'
import { loadUserModule, modulePath, workflowNamed } from '../user-module.js'

/** Options of `stepward submit`. */
export interface SubmitOptions extends StoreOptions {
  readonly workflows?: string
  /** The receiver of notices about each job. */
  readonly replyTo?: string
  readonly wait?: boolean
}

/** A line of the file that is ready to be submitted. */
interface Submission {
  readonly line: number
  readonly input: unknown
  readonly jobId: string
}

/** Submissions and waits under way at once. */
const atOnce = 16

/**
 * Submits one job for every line of a JSON Lines file. The whole file is checked before anything is submitted; a job
 * that exists already with the same payload counts as submitted.
 */
export async function submit(
  workflowName: string,
  file: string,
  options: SubmitOptions,
  terminal: Terminal,
): Promise<number> {
  const { replyTo } = options
  if (replyTo !== undefined && !isReplyTo(replyTo)) {
    throw new CliError(`--reply-to ${JSON.stringify(replyTo)} ${replyToRule}`, exitCodes.usage)
  }
  return withSettings(options, async (settings) => {
    const path = modulePath(options.workflows, settings.module, '--workflows')
    const workflow = workflowNamed(workflowName, await loadUserModule(path), path)
    const submissions = checked(workflow, await readJsonLines(file), file)
    if (submissions.length === 0)
      terminal.note(`stepward: ${whatIsRead(file)} is empty: nothing is submitted`)
    return withClient(settings, (client) => submitAll({ client, workflow, submissions, options, terminal }))
  })
}

function whatIsRead(file: string): string {
  return file === '-' ? 'standard input' : file
}

/** Every line as a submission, or one error that lists all that is wrong. */
function checked(
  workflow: Workflow<unknown>,
  lines: readonly JsonLine[],
  file: string,
): readonly Submission[] {
  const { parse, jobId } = workflow.submission
  if (jobId === undefined) {
    const rule = 'does not say how to find the id of a job: define it with { jobId: (input) => … }'
    throw new CliError(`workflow ${workflow.name} ${rule}`, exitCodes.usage)
  }
  const problems: string[] = []
  const seen = new Map<string, { readonly line: number; readonly text: string }>()
  const submissions = lines.flatMap(({ line, value }): Submission[] => {
    try {
      const input = parse === undefined ? value : parse(value)
      const id: unknown = jobId(input)
      if (typeof id !== 'string' || id === '') throw new Error('it has no id')
      const text = JSON.stringify(value)
      const earlier = seen.get(id)
      if (earlier !== undefined && earlier.text !== text) {
        throw new Error(`id ${JSON.stringify(id)} is on line ${earlier.line} already, with another payload`)
      }
      seen.set(id, { line, text })
      return earlier === undefined ? [{ line, input, jobId: id }] : []
    } catch (error) {
      problems.push(`line ${line}: ${error instanceof Error ? error.message : String(error)}`)
      return []
    }
  })
  if (problems.length === 0) return submissions
  throw new CliError(`${file}: ${problems.join('; ')}: nothing was submitted`, exitCodes.usage)
}

interface Work {
  readonly client: JobClient
  readonly workflow: Workflow<unknown>
  readonly submissions: readonly Submission[]
  readonly options: SubmitOptions
  readonly terminal: Terminal
}

async function submitAll({ client, workflow, submissions, options, terminal }: Work): Promise<number> {
  const { replyTo } = options
  const told = replyTo === undefined ? {} : { replyTo }
  const jobs: Job[] = []
  const conflicts: string[] = []
  await inParallel(submissions, terminal, 'submitted', async ({ input, jobId, line }) => {
    try {
      jobs.push(await client.submit(workflow, input, { jobId, ...told }))
    } catch (error) {
      if (error instanceof SubmissionInvalid) {
        throw new SubmissionInvalid(`line ${line}: ${error.message}`, { cause: error })
      }
      if (!(error instanceof JobConflict)) throw error
      conflicts.push(`line ${line}: ${error.message}`)
    }
  })
  const failures: string[] = []
  if (options.wait === true) {
    await inParallel(jobs, terminal, 'ended', async (job) => {
      try {
        await job.result()
      } catch (error) {
        if (!(error instanceof JobFailed)) throw error
        failures.push(error.message)
      }
    })
  }
  const summary = { workflow: workflow.name, submitted: jobs.length, conflicts, failures }
  if (options.json === true) terminal.print(JSON.stringify(summary))
  else report(summary, options, terminal)
  if (conflicts.length > 0) throw new CliError(conflicts.join('; '), exitCodes.conflict)
  return failures.length > 0 ? exitCodes.failed : exitCodes.ok
}

function report(
  summary: { readonly workflow: string; readonly submitted: number; readonly failures: readonly string[] },
  options: SubmitOptions,
  terminal: Terminal,
): void {
  const { submitted, workflow, failures } = summary
  const jobs = submitted === 1 ? 'job' : 'jobs'
  terminal.print(`${submitted} ${jobs} of ${workflow} accepted`)
  if (options.wait !== true) return
  terminal.print(`${submitted - failures.length} ended Processed, ${failures.length} ended otherwise`)
  for (const failure of failures) terminal.print(`  ${failure}`)
}

/** Works through `items` with a bar, some at once; the first error ends it, saying how far it came. */
async function inParallel<T>(
  items: readonly T[],
  terminal: Terminal,
  word: string,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items]
  let done = 0
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      await work(item)
      done += 1
      terminal.progress(`${bar(done, items.length, 30)} ${done}/${items.length} ${word}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  } catch (error) {
    left.length = 0
    const why = error instanceof Error ? error.message : String(error)
    const isOurs = exitCodeOf(error) !== exitCodes.usage
    const next = isOurs
      ? 'run the same command again to go on'
      : 'this can never be accepted as it is: correct it first'
    const advice = `${done} of ${items.length} ${word}; ${next}`
    throw new CliError(`${why} (${advice})`, exitCodeOf(error), { cause: error })
  } finally {
    terminal.progressDone()
  }
}
