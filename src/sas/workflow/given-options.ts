import { isObject, kind, readOptions, shown } from '../../platform/options.js'
import { isReference } from '../model/values/reference.js'
import { StepHandle } from '../model/values/step-handle.js'
import type { PlanDraft } from './plan-draft.js'
import { stepAdvice, stepOptionNames } from './step-options.js'

interface Known {
  readonly names: readonly string[]
  /** Options as they are written. */
  readonly example: string
  /** Advice on names that other libraries use, in addition to those of a step. */
  readonly meant?: Readonly<Record<string, string>>
}

const atMost = 'atMost: 100'

/** The options that each method of the builder has, for callers that the compiler does not check. */
const methods = {
  step: { names: stepOptionNames, example: "{ completeWithin: '30s' }" },
  sleep: { names: ['after', 'when', 'orUntil'], example: '{ after: [step] }' },
  waitFor: {
    names: ['count', 'after', 'when', 'completeWithin', 'onExhausted'],
    example: "{ completeWithin: '3d' }",
  },
  repeat: {
    names: ['until', 'every', 'atMost', ...stepOptionNames],
    example: "{ until: (output) => condition.equal(output.state, 'ready') }",
    meant: { maxRounds: atMost, times: atMost, interval: "every: '10s'", delay: "every: '10s'" },
  },
  forEach: { names: ['atMost', ...stepOptionNames], example: '{ atMost: 50 }' },
  forEachJob: {
    names: [
      'atMost',
      'atOnce',
      'retainFor',
      'after',
      'when',
      'onExhausted',
      'completeWithin',
      'retry',
      'undo',
    ],
    example: '{ atOnce: 50 }',
    meant: { concurrency: 'atOnce: 50' },
  },
  run: { names: ['after', 'when'], example: '{ after: [step] }' },
} satisfies Readonly<Record<string, Known>>

/**
 * Returns the options of a call of the builder, and notes what is wrong with options of another kind and with
 * unknown names. Left-out options are an empty object.
 */
export function optionsOf<T extends object>(
  draft: PlanDraft,
  id: string,
  method: keyof typeof methods,
  given: T | null | undefined,
): T {
  const { names, example, ...known }: Known = methods[method]
  const wrong = wrongKind(given, example)
  if (wrong !== null) draft.problemOf(id, wrong)
  if (wrong !== null || !isObject(given)) return {} as T
  for (const what of nameProblems(given, names, known.meant)) draft.problemOf(id, what)
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name))) as T
}

/** Returns a problem for each name that is not one of `names`. Gives advice on names of other libraries. */
export function nameProblems(
  given: object,
  names: readonly string[],
  meant: Readonly<Record<string, string>> = {},
): readonly string[] {
  const anything = kind<unknown>('anything', () => true).optional()
  const isThere = ([, advice]: readonly [string, string]) => names.includes(advice.split(':')[0] ?? '')
  const advice = Object.fromEntries(Object.entries({ ...stepAdvice, ...meant }).filter(isThere))
  return readOptions(Object.fromEntries(names.map((name) => [name, anything])), given, advice).problems
}

function wrongKind(given: unknown, example: string): string | null {
  if (given === undefined || given === null) return null
  if (given instanceof StepHandle)
    return `step ${JSON.stringify(given.id)} is in the place of the options; write { after: [step] }`
  if (isReference(given)) return `a reference is in the place of the options; write ${example}`
  if (!isObject(given)) return `its options must be an object, not ${shown(given)}; write ${example}`
  const isCondition = 'operator' in given && 'of' in given
  return isCondition ? 'a condition is in the place of the options; write { when: condition.… }' : null
}
