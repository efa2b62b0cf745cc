import { isDeepStrictEqual } from 'node:util'
import type { JobDocument, StepDocument } from '../../model/documents.js'
import type { Json } from '../../model/values/json.js'
import { pathText } from '../../model/values/plain-json.js'
import type { InputChange } from '../../model/readable-parts.js'
import { hiddenAt, hiddenInTemplate, restOf, type SecretPath } from '../../model/values/hidden.js'
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
  return bounded([{ stepId: null, before: input, after, secrets, isTemplate: false }])
}

/** A part of a plan before and after a decision. The part is named as in a definition. */
export interface PlanPart extends Omit<Difference, 'path'> {
  readonly stepId: string | null
  readonly part: string
  readonly secrets: readonly SecretPath[]
}

/** Returns how a new plan differs from the present one, in the same form. */
export function planEditOf(parts: readonly PlanPart[]): Edit {
  return bounded(parts.map((part) => ({ ...part, isTemplate: true })))
}

type Edit = NonNullable<JobDocument['audit'][number]['edit']>

/** The inputs of a step, or of the job, before and after a decision. */
interface Replacement extends Omit<Difference, 'path'> {
  readonly stepId: string | null
  /** The name with which the path begins. Default: `input`. */
  readonly part?: string
  readonly secrets: readonly SecretPath[]
  /** Whether the values are templates, in which an object can be a reference. */
  readonly isTemplate: boolean
}

function bounded(replacements: readonly Replacement[]): Edit {
  const changes: InputChange[] = []
  let others = 0
  for (const { part = 'input', before, after, ...place } of replacements) {
    for (const difference of differences({ path: [], before, after })) {
      if (changes.length < maxChanges) changes.push(changeOf({ part, ...place }, difference))
      else others += 1
    }
  }
  return { changes, others }
}

/** Compares resolved inputs if the step had one, because people know values better than references. */
function replaced(
  step: StepDocument | undefined,
  input: Json,
): Pick<Replacement, 'before' | 'after' | 'isTemplate'> {
  if (step === undefined) return { before: undefined, after: input, isTemplate: false }
  const isResolved = step.kind === 'operation' && step.dispatch > 0
  return isResolved
    ? { before: step.input, after: input, isTemplate: false }
    : { before: step.inputTemplate, after: toTemplate(input, 'input'), isTemplate: true }
}

/** Secret values are left out, because every reader of the job sees the decisions. */
function changeOf(
  { stepId, part, secrets, isTemplate }: Required<Omit<Replacement, 'before' | 'after'>>,
  { path, before, after }: Difference,
): InputChange {
  const names = path.map(String)
  const at = [part, ...(isTemplate ? names.filter((name) => name !== '$literal') : names)]
  const below = secrets.flatMap((secret) => {
    const rest = restOf(secret, at)
    return rest === null ? [] : [rest]
  })
  const [hiddenBefore, hiddenAfter] = [before, after].map(
    (value) => value && (isTemplate ? hiddenInTemplate : hiddenAt)(value, below),
  )
  return {
    stepId,
    path: cut(pathText(part, path)),
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
