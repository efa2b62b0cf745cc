import type { JobDocument, Json, StepDocument } from '../model/documents.js'
import { secretTexts, secretTextsInTemplate, type SecretPath } from '../model/values/hidden.js'

/** Returns the paths of secret values in this part of a document. */
export function partsOf({ secrets = [] }: Pick<JobDocument, 'secrets'>, part: string): readonly SecretPath[] {
  return secrets.filter(([first]) => first === part).map(([, ...rest]) => rest)
}

/**
 * Returns a problem for each text in `shown` that contains a secret of the input. All users can see these texts and
 * search for them. The problem names the text by its key in `shown`.
 */
export function shownSecrets(
  { secrets = [] }: { readonly secrets?: readonly SecretPath[] },
  input: Json,
  shown: Readonly<Record<string, string>>,
): readonly string[] {
  const paths = secrets.filter(([part]) => part === 'input').map(([, ...rest]) => rest)
  const texts = secretTexts(input, paths)
  return Object.entries(shown)
    .filter(([, text]) => texts.some((secret) => text.includes(secret)))
    .map(([name]) => `${name} contains a secret of the input, and everybody sees it: choose another`)
}

/** Returns the texts of the secret values in a job. */
export function textsOfJob(job: JobDocument): readonly string[] {
  return [
    ...secretTexts(job.input, partsOf(job, 'input')),
    ...secretTexts(job.result ?? null, partsOf(job, 'result')),
    ...(job.planned ?? []).flatMap((step) => [
      ...secretTextsInTemplate(step.input, partsOf(step, 'input')),
      ...secretTextsInTemplate(step.undo?.input ?? null, partsOf(step, 'undo')),
      ...secretTexts(step.attempt?.input ?? null, partsOf(step, 'input')),
      ...secretTextsInTemplate(step.attempt?.undoInput ?? null, partsOf(step, 'undo')),
      ...secretTexts(step.done?.output ?? null, partsOf(step, 'output')),
      ...secretTexts(step.done?.undo ?? null, partsOf(step, 'undo')),
    ]),
  ]
}

/** Returns the texts of the secret values in a step. */
export function textsOfStep(step: StepDocument): readonly string[] {
  const [input, output, undo] = [partsOf(step, 'input'), partsOf(step, 'output'), partsOf(step, 'undo')]
  return [
    ...secretTexts(step.input, input),
    ...secretTextsInTemplate(step.inputTemplate, input),
    ...secretTexts(step.output, output),
    ...secretTexts(step.event?.payload ?? null, output),
    ...secretTexts(step.collect?.events.map(({ payload }) => payload) ?? null, output),
    ...secretTexts(step.round?.previous ?? null, output),
    ...secretTexts(step.undo?.input ?? null, undo),
    ...secretTextsInTemplate(step.undo?.inputTemplate ?? null, undo),
    ...secretTextsInTemplate(step.undoTemplate, undo),
    ...step.owed.flatMap((each) => secretTexts(each.input, undo)),
  ]
}

/** Marks each version of a job and its steps with the marks of all versions. */
interface Marks {
  readonly job: (version: JobDocument) => JobDocument
  readonly step: (version: StepDocument) => StepDocument
}

/** Returns the marks of all versions. Null if there are none, as for most jobs. */
export function marksAmong(jobs: readonly JobDocument[], steps: readonly StepDocument[]): Marks | null {
  const planned = jobs.flatMap((job) => job.planned ?? [])
  if ([...jobs, ...steps, ...planned].every(({ secrets = [] }) => secrets.length === 0)) return null
  const jobMarks = marksOf(jobs)
  const byStep = new Map<string, Marked[]>()
  const note = (stepId: string, marked: Marked): void => {
    byStep.set(stepId, [...(byStep.get(stepId) ?? []), marked])
  }
  for (const step of steps) note(step.stepId, step)
  for (const step of planned) note(step.id, step)
  const stepMarks = new Map([...byStep].map(([stepId, versions]) => [stepId, marksOf(versions)]))
  const marking = <S extends Marked>(stepId: string, step: S): S => {
    const marks = stepMarks.get(stepId) ?? []
    return marks.length === 0 ? step : { ...step, secrets: marks }
  }
  return {
    job: (job) => ({
      ...job,
      secrets: jobMarks,
      ...(job.planned && { planned: job.planned.map((step) => marking(step.id, step)) }),
    }),
    step: (step) => marking(step.stepId, step),
  }
}

/** Returns the texts of all values that are secret by these marks. */
export function textsAmong(
  jobs: readonly JobDocument[],
  steps: readonly StepDocument[],
  marks: Marks,
): readonly string[] {
  const found = [
    ...jobs.flatMap((job) => textsOfJob(marks.job(job))),
    ...steps.flatMap((step) => textsOfStep(marks.step(step))),
  ]
  return [...new Set(found)]
}

/** A document or a planned step that names its secret values. */
type Marked = Pick<JobDocument, 'secrets'>

function marksOf(documents: readonly Marked[]): string[][] {
  const marks = documents.flatMap(({ secrets = [] }) => secrets)
  return [...new Map(marks.map((path) => [JSON.stringify(path), path])).values()]
}
