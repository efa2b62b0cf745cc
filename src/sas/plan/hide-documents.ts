import type { JobDocument, Json, PlannedStep, StepDocument } from '../model/documents.js'
import type { Plan } from './plan.js'
import {
  conceal,
  concealIn,
  hiddenAt,
  hiddenInTemplate,
  hiddenText,
  secretTexts,
  type SecretPath,
} from '../model/values/hidden.js'
import { marksAmong, partsOf, textsAmong, textsOfJob, textsOfStep } from './secret-texts.js'

/** A job and its steps, without secret values. */
export interface Hidden {
  readonly job: JobDocument
  readonly steps: readonly StepDocument[]
  /** Hides the secrets of the job in a text about it. */
  readonly conceal: (text: string) => string
}

/**
 * Hides the secrets of a job in its documents, as people may see them: the values at the marked paths, and
 * their texts wherever they occur, for example in the message of an error. The documents must not be written.
 */
export function hideDocuments(job: JobDocument, steps: readonly StepDocument[]): Hidden {
  const marked = [job, ...steps, ...(job.planned ?? [])]
  const isPlain = marked.every(({ secrets }) => secrets === undefined)
  if (isPlain) return { job, steps, conceal: (text) => text }
  const texts = [...new Set([...textsOfJob(job), ...steps.flatMap(textsOfStep)])]
  return {
    job: hiddenJob(job, steps, texts),
    steps: steps.map((step) => hiddenStep(step, texts)),
    conceal: (text) => conceal(text, texts),
  }
}

/**
 * Returns a function that hides the secrets of these documents of one job in a text. The documents are versions: those
 * before a decision and those after it, whose reason may name a secret that only the later ones contain.
 */
export function concealerAmong(
  jobs: readonly JobDocument[],
  steps: readonly StepDocument[],
): (text: string) => string {
  const marks = marksAmong(jobs, steps)
  if (marks === null) return (text) => text
  const texts = textsAmong(jobs, steps, marks)
  return (text) => conceal(text, texts)
}

/** Returns a message about a job as a list shows it. The list does not read the steps. */
export function hiddenMessage<T extends { readonly message: string }>(job: JobDocument, told: T): T {
  return job.secrets === undefined ? told : { ...told, message: conceal(told.message, textsOfJob(job)) }
}

/** Hides the secrets of an input in a text about it, before there is a job. */
export function withoutSecretsOf(plan: Pick<Plan, 'secrets'>, input: unknown, text: string): string {
  const paths = (plan.secrets ?? []).filter(([part]) => part === 'input').map(([, ...rest]) => rest)
  return conceal(text, secretTexts(input as Json, paths))
}

/**
 * Returns a function that hides the secrets of an attempt in a text that is stored or logged: all that its handler
 * receives, and what else its step contains. The step may have tickets in place of the given values.
 */
export function concealerOf(
  step: StepDocument,
  given: { readonly input: Json; readonly previous: Json },
): (text: string) => string {
  if (step.secrets === undefined) return (text) => text
  const texts = [
    ...secretTexts(given.input, partsOf(step, step.direction === 'undo' ? 'undo' : 'input')),
    ...secretTexts(given.previous, partsOf(step, 'output')),
    ...textsOfStep(step),
  ]
  return (text) => conceal(text, texts)
}

function hiddenJob(job: JobDocument, steps: readonly StepDocument[], texts: readonly string[]): JobDocument {
  const outputs = steps.flatMap((step) => partsOf(step, 'output').map((path) => [step.stepId, ...path]))
  const shown = (value: Json, paths: readonly SecretPath[]) => concealIn(hiddenAt(value, paths), texts)
  return {
    ...job,
    input: shown(job.input, partsOf(job, 'input')),
    ...(job.result !== undefined && { result: shown(job.result, partsOf(job, 'result')) }),
    ...(job.outputs !== undefined && { outputs: shown(job.outputs, outputs) as Record<string, Json> }),
    ...(job.planned !== undefined && { planned: job.planned.map((step) => hiddenPlan(step, texts)) }),
    ...told(job, toldByJobs, texts),
  }
}

function hiddenPlan(step: PlannedStep, texts: readonly string[]): PlannedStep {
  const template = (value: Json, part: string) =>
    concealIn(hiddenInTemplate(value, partsOf(step, part)), texts)
  const { when, undo, repeat, attempt, done } = step
  const shown = (value: Json, part: string) => concealIn(hiddenAt(value, partsOf(step, part)), texts)
  return {
    ...step,
    ...(attempt && {
      attempt: {
        ...attempt,
        input: shown(attempt.input, 'input'),
        ...(attempt.undoInput !== undefined && { undoInput: template(attempt.undoInput, 'undo') }),
      },
    }),
    ...(done && {
      done: {
        ...done,
        output: shown(done.output, 'output'),
        ...(done.undo !== undefined && { undo: shown(done.undo, 'undo') }),
      },
    }),
    input: template(step.input, 'input'),
    // A condition contains values of its own, which no path names.
    ...(when !== undefined && { when: hiddenText }),
    ...(undo && { undo: { ...undo, input: template(undo.input, 'undo') } }),
    ...(repeat && { repeat: { ...repeat, until: hiddenText } }),
  }
}

function hiddenStep(step: StepDocument, texts: readonly string[]): StepDocument {
  const [input, output, undoing] = [partsOf(step, 'input'), partsOf(step, 'output'), partsOf(step, 'undo')]
  const shown = (value: Json, paths: readonly SecretPath[]) => concealIn(hiddenAt(value, paths), texts)
  const template = (value: Json, paths: readonly SecretPath[]) =>
    concealIn(hiddenInTemplate(value, paths), texts)
  const { undo, event, round, repeat, collect } = step
  const payloads = shown(collect?.events.map(({ payload }) => payload) ?? [], output) as readonly Json[]
  return {
    ...step,
    // A condition contains values of its own, which no path names.
    when: step.when === null ? null : hiddenText,
    input: shown(step.input, input),
    inputTemplate: template(step.inputTemplate, input),
    output: shown(step.output, output),
    undoTemplate: template(step.undoTemplate, undoing),
    owed: step.owed.map((each) => ({ ...each, input: shown(each.input, undoing) })),
    undo: undo && {
      ...undo,
      input: shown(undo.input, undoing),
      inputTemplate: template(undo.inputTemplate, undoing),
    },
    event: event && { ...event, payload: shown(event.payload, output), ...told(event, ['note'], texts) },
    ...(collect && {
      collect: {
        ...collect,
        events: collect.events.map(({ key, at }, index) => ({
          key: conceal(key, texts),
          payload: payloads[index] ?? null,
          at,
        })),
      },
    }),
    ...(round && { round: { ...round, until: hiddenText, previous: shown(round.previous, output) } }),
    ...(repeat && { repeat: { ...repeat, until: hiddenText } }),
    ...told(step, ['attention', 'diagnostics', 'progress', 'asked'], texts),
  }
}

/** The fields with texts that people or handlers have written. The others have a fixed form. */
const written: ReadonlySet<string> = new Set(['message', 'why', 'reason', 'note', 'title', 'before', 'after'])

/** The fields of jobs and of steps that contain such texts. */
const toldByJobs = [
  'attention',
  'compensation',
  'paused',
  'diagnostics',
  'audit',
  'triage',
  'triageAudit',
  'restartOf',
] as const
const toldBySteps = ['attention', 'diagnostics', 'progress', 'asked', 'event'] as const

/** Hides texts in the messages within some fields of a document. */
function told<T extends object, K extends keyof T>(
  document: T,
  names: readonly K[],
  texts: readonly string[],
): Partial<Pick<T, K>> {
  return toldAs(document, names, (text) => conceal(text, texts))
}

/** Returns some fields of a document with their messages as `shown` shows them. */
function toldAs<T extends object, K extends keyof T>(
  document: T,
  names: readonly K[],
  shown: (text: string) => string,
): Partial<Pick<T, K>> {
  const present = names.filter((name) => document[name] !== undefined)
  return Object.fromEntries(
    present.map((name) => [name, shownWritten(document[name], String(name), shown)]),
  ) as Partial<Pick<T, K>>
}

function shownWritten(value: unknown, name: string, shown: (text: string) => string): unknown {
  if (typeof value === 'string') return written.has(name) ? shown(value) : value
  if (Array.isArray(value)) return value.map((item: unknown) => shownWritten(item, name, shown))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shownWritten(part, key, shown)]))
}

/** Hides the secrets of a job in versions of its documents. */
export interface VersionHider {
  readonly job: (version: JobDocument) => object
  readonly step: (version: StepDocument) => StepDocument
}

/**
 * Returns how to hide the secrets of a job in these versions of its documents. A version may lack marks that a later
 * plan has brought, and its messages may contain the secrets of another version. So the marks and the texts of all
 * versions, and of the present documents, count together. If earlier secrets may be unknown, whole messages are hidden.
 */
export function versionHider(
  jobs: readonly JobDocument[],
  steps: readonly StepDocument[],
  { areAllKnown }: { readonly areAllKnown: boolean },
): VersionHider {
  const marks = marksAmong(jobs, steps)
  if (marks === null) return { job: (version) => version, step: (version) => version }
  const [markedJob, markedStep] = [marks.job, marks.step]
  const oneOfEach = [...new Map(steps.map((step) => [step.stepId, step])).values()]
  const marked = oneOfEach.map(markedStep)
  const texts = textsAmong(jobs, steps, marks)
  const silent = <T extends object>(version: T, names: readonly (keyof T)[]): T =>
    areAllKnown ? version : { ...version, ...toldAs(version, names, () => hiddenText) }
  return {
    // A program could guess the secrets from the hashes of the submission.
    job: (version) => withoutHashes(silent(hiddenJob(markedJob(version), marked, texts), toldByJobs)),
    step: (version) => silent(hiddenStep(markedStep(version), texts), toldBySteps),
  }
}

/** Returns a job without the hashes of its submission, from which a program could guess secrets. */
export function withoutHashes({
  payloadHash: _payload,
  planHash: _plan,
  ...open
}: JobDocument): Omit<JobDocument, 'payloadHash' | 'planHash'> {
  return open
}
