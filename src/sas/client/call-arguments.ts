import type { Duration } from '../../platform/index.js'
import { durationMs } from '../../platform/internal.js'
import { date, flag, having, isObject, optional, readOptions, shown, text } from '../../platform/options.js'
import type { JobDocument, JobPause, Json, LedgerEntry, StepDocument } from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { CommandInvalid } from '../model/errors.js'
import type { OperatorCommand } from '../decisions/operator/request.js'
import { triageOf } from '../decisions/operator/triage.js'
import { hiddenMessage } from '../plan/hide-documents.js'
import { personName, reasonText } from '../model/values/said-texts.js'
import { tagsByName } from '../model/tags.js'
import { hasHidden, hiddenText } from '../model/values/hidden.js'
import { givenJson } from '../model/values/plain-json.js'
import { receivedProblem } from './received-size.js'
import { commandProblems, type CommandTerms } from '../submission/submit-problems.js'
import type {
  CommandOptions,
  JobSummary,
  ResubmitOptions,
  ScheduleCommandOptions,
} from './command-options.js'

/** The name of the operator if the caller passes none. */
export const defaultOperator = 'operator'

/** The states of steps that are over, or whose effect has not been undone. */
const doneStates: ReadonlySet<LedgerEntry['state']> = new Set([
  'Processed',
  'Skipped',
  'Failed',
  'TimedOut',
  'Refused',
  'Compensating',
  'CompensationFailed',
])

export function summaryOf(job: JobDocument): JobSummary {
  const { jobId, orderId, pk, workflow, submittedAt, endedAt, steps, stepIds, attention } = job
  return {
    jobId,
    orderId,
    partitionKey: pk,
    workflow,
    state: job.processState,
    submittedAt,
    endedAt,
    stepsDone: Object.values(steps).filter(({ state }) => doneStates.has(state)).length,
    stepCount: stepIds.length,
    attention: attention && hiddenMessage(job, attention),
    triage: triageOf(job),
    paused: pauseOf(job),
    restartedAs: job.restartedAs ?? null,
    tags: tagsByName(job.tags),
  }
}

/** Returns the pause of a job as it is shown. */
export function pauseOf({ paused, pausedWith }: JobDocument): JobPause | null {
  if (!paused) return null
  return pausedWith ? { ...paused, with: pausedWith } : paused
}

export function limitOf(duration: Duration | undefined): number | null {
  return duration === undefined ? null : durationMs(duration)
}

export function addressOf(partition: string, jobId: string) {
  return { pk: partition, id: jobDocumentId(jobId), jobId }
}

interface Expected {
  readonly name: string
  readonly error: new (message: string) => Error
}

/**
 * Returns the value as it is stored. Throws `error` if JSON would silently change a part of the value. The
 * message contains the path of that part.
 */
export function asJson(jobId: string, value: unknown, { name, error: Invalid }: Expected): Json {
  const given = givenJson(value, name)
  if (given.kind === 'json' && hasHidden(given.json)) {
    const rule = `stands for a value that is hidden from people: give the value itself`
    throw new Invalid(`job ${JSON.stringify(jobId)}: ${name} contains "${hiddenText}", which ${rule}`)
  }
  if (given.kind === 'json') return given.json
  throw new Invalid(`job ${JSON.stringify(jobId)}: ${given.reason}`)
}

/**
 * Returns the options, or an empty object if a caller in JavaScript omits them.
 *
 * @throws CommandInvalid if they are no object
 */
export function orNone<T extends object>(options: T | null | undefined): Partial<T> {
  const given: unknown = options ?? {}
  if (isObject(given)) return given
  throw new CommandInvalid(`the options are ${shown(given)}; they must be an object`)
}

export function termsOf(
  jobId: string,
  command: OperatorCommand,
  { partitionKey, dryRun }: Pick<CommandOptions, 'partitionKey' | 'dryRun'>,
): CommandTerms {
  const { kind, by, why } = command
  const step =
    kind === 'resubmit' ? command.steps?.[0]?.stepId : kind === 'release' ? command.stepId : undefined
  const reason = kind === 'cancel' ? { reason: why } : { why }
  return { needed: { jobId, by, ...reason }, optional: { step, partitionKey }, flags: { dryRun } }
}

/** Returns the command that these options of a resubmission give. The caller checks `by` and `why`. */
export function resubmissionOf(
  jobId: string,
  { step, input, ...options }: Partial<ResubmitOptions>,
): OperatorCommand {
  const edit =
    input === undefined ? {} : { input: asJson(jobId, input, { name: 'input', error: CommandInvalid }) }
  const steps = step === undefined ? {} : { steps: [{ stepId: step, ...edit }] }
  if (step === undefined && input !== undefined) {
    throw new CommandInvalid('resubmit: input needs step, the name of the step that it is for')
  }
  const { by, why } = options as Pick<ResubmitOptions, 'by' | 'why'>
  return { kind: 'resubmit', by, why, ...steps }
}

/**
 * Checks the size of a step with the event or the answer that `what` names.
 *
 * @throws CommandInvalid if it is too large to be stored with its job; nothing was written
 */
export function refuseTooLarge(what: string, job: object, step: StepDocument): void {
  const problem = receivedProblem(job, step)
  if (problem !== null) throw new CommandInvalid(`${what} ${problem}`)
}

/** @throws CommandInvalid that lists all problems of these arguments */
export function refuseArguments(call: string, terms: CommandTerms): void {
  refuseProblems(call, commandProblems(terms))
}

/** @throws CommandInvalid that lists all problems, if there are any; nothing was written */
export function refuseProblems(call: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new CommandInvalid(`${call}: ${problems.join('; ')}`)
}

/** Returns who gives a command, and why. */
export function whoOf(
  call: string,
  id: string,
  options: { readonly by?: string | undefined; readonly why?: string | undefined },
  more: object = {},
): Required<ScheduleCommandOptions> {
  const { by = defaultOperator, why = '' } = orNone(options)
  refuseTerms(call, { id, by, ...(why === '' ? {} : { why }), ...more })
  return { by, why }
}

const scheduleTerms = {
  id: text(),
  by: personName,
  why: reasonText,
  from: date(),
  to: date(),
  dryRun: flag(),
}

/** @throws CommandInvalid that lists all problems of these arguments */
export function refuseTerms(call: string, terms: object): void {
  const wanted = Object.fromEntries(Object.entries(scheduleTerms).filter(([name]) => name in terms))
  refuseProblems(call, readOptions(wanted, terms).problems)
}

const signal = optional(having<AbortSignal>('an AbortSignal', 'addEventListener', 'throwIfAborted'))

/** The options of each call that waits for a job. */
const waits = { result: { signal }, updates: { signal, hidesSecrets: optional(flag()) } }

/**
 * Returns the signal of a call that waits for a job.
 *
 * @throws CommandInvalid that lists all problems of the options
 */
export function signalOf(
  call: keyof typeof waits,
  options: { readonly signal?: AbortSignal | undefined },
): AbortSignal | undefined {
  refuseProblems(call, readOptions(waits[call], options).problems)
  return options.signal ?? undefined
}
