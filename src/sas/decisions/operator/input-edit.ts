import { isDeepStrictEqual } from 'node:util'
import type { JobDocument, StepDocument } from '../../model/documents.js'
import type { Json } from '../../model/values/json.js'
import { pathText } from '../../model/values/plain-json.js'
import type { InputChange } from '../../model/readable-parts.js'
import { hiddenAt, restOf, type SecretPath } from '../../model/values/hidden.js'
import { toTemplate } from '../../model/values/to-template.js'

/** The largest number of changes in an edit, and of characters in a path or a value (I16). */
const maxChanges = 10
const maxTextLength = 100

/** A part that is in only one of two inputs is undefined in the other. */
interface Difference {
  readonly path: readonly (string | number)[]
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/**
 * Returns how new inputs, by step id, differ from the present inputs of the steps. The size is bounded: an edit
 * contains the first ten changes and the number of the others, and long values are cut off.
 */
export function editOf(
  steps: ReadonlyMap<string, StepDocument>,
  inputs: ReadonlyMap<string, Json>,
): Pick<JobDocument['audit'][number], 'edit'> {
  if (inputs.size === 0) return {}
  const edited = [...inputs].map(([stepId, input]) => {
    const step = steps.get(stepId)
    return { stepId, ...replaced(step, input), secrets: step?.secrets ?? [] }
  })
  return { edit: bounded(edited) }
}

/** Returns how a new input of a job differs from its present input, in the same form. */
export function inputEditOf(
  { input, secrets = [] }: Pick<JobDocument, 'input' | 'secrets'>,
  after: Json,
): Edit {
  return bounded([{ stepId: null, before: input, after, secrets }])
}

type Edit = NonNullable<JobDocument['audit'][number]['edit']>

/** The inputs of a step, or of the job, before and after a decision. */
interface Replacement extends Omit<Difference, 'path'> {
  readonly stepId: string | null
  readonly secrets: readonly SecretPath[]
}

function bounded(replacements: readonly Replacement[]): Edit {
  const changes: InputChange[] = []
  let others = 0
  for (const { stepId, before, after, secrets } of replacements) {
    for (const difference of differences({ path: [], before, after })) {
      if (changes.length < maxChanges) changes.push(changeOf(stepId, difference, secrets))
      else others += 1
    }
  }
  return { changes, others }
}

/** Compares resolved inputs if the step had one, because people know values better than references. */
function replaced(step: StepDocument | undefined, input: Json): Omit<Difference, 'path'> {
  if (step === undefined) return { before: undefined, after: input }
  const isResolved = step.kind === 'operation' && step.dispatch > 0
  return isResolved
    ? { before: step.input, after: input }
    : { before: step.inputTemplate, after: toTemplate(input, 'input') }
}

/** Secret values are left out, because every reader of the job sees the decisions. */
function changeOf(
  stepId: string | null,
  { path, before, after }: Difference,
  secrets: readonly SecretPath[],
): InputChange {
  const at = ['input', ...path.map(String)]
  const below = secrets.flatMap((secret) => {
    const rest = restOf(secret, at)
    return rest === null ? [] : [rest]
  })
  const [hiddenBefore, hiddenAfter] = [before, after].map((value) => value && hiddenAt(value, below))
  return {
    stepId,
    path: cut(pathText('input', path)),
    before: textOf(hiddenBefore),
    after: textOf(hiddenAfter),
  }
}

/** Finds the smallest parts that differ. Lists are compared item by item. */
function* differences(whole: Difference): Generator<Difference> {
  const { path, before, after } = whole
  if (isList(before) && isList(after)) {
    const length = Math.max(before.length, after.length)
    for (let index = 0; index < length; index += 1) {
      yield* differences({ path: [...path, index], before: before[index], after: after[index] })
    }
  } else if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* differences({ path: [...path, key], before: own(before, key), after: own(after, key) })
    }
  } else if (!isDeepStrictEqual(before, after)) {
    yield whole
  }
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function own(object: Readonly<Record<string, Json>>, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : cut(JSON.stringify(value))
}

/** Cuts off a long text, but not between the two halves of a character. */
function cut(text: string): string {
  if (text.length <= maxTextLength) return text
  return `${text.slice(0, maxTextLength).replace(/[\uD800-\uDBFF]$/u, '')}…`
}
