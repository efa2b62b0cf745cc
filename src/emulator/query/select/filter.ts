import { compileExpression } from './compile-expression.js'
import {
  conditionOf,
  conjunctsOf,
  containingOf,
  presenceOf,
  sharedSpans,
  type Condition,
  type Containing,
} from './conditions.js'
import type { Expression } from '../language/ast.js'
import type { Frame, Scope } from './scope.js'
import { isPoint, type Span } from '../values/span.js'

/** A compiled WHERE clause, and what is known about matching documents. */
export interface Filter {
  /** Checks whether a frame passes: the condition must be `true`, and neither false nor undefined. */
  readonly matches: (frame: Frame) => boolean
  /** Conditions on single properties. Every frame that passes fulfils them. */
  readonly conditions: readonly Condition[]
  /** The properties that exist in every frame that passes. */
  readonly presences: readonly Omit<Condition, 'spans'>[]
  /** Values that arrays contain in every frame that passes. */
  readonly containing: readonly Containing[]
}

/** Compiles a WHERE clause. Without one, every row passes. */
export function compileFilter(where: Expression | undefined, scope: Scope): Filter {
  const conjuncts = where === undefined ? [] : conjunctsOf(where)
  const compiled = conjuncts.map((conjunct) => compileExpression(conjunct, scope))
  return {
    matches: (frame) => {
      for (const conjunct of compiled) if (conjunct(frame) !== true) return false
      return true
    },
    conditions: conjuncts.flatMap((conjunct) => conditionOf(conjunct, scope) ?? []),
    presences: conjuncts.flatMap((conjunct) => presenceOf(conjunct) ?? []),
    containing: conjuncts.flatMap((conjunct) => containingOf(conjunct, scope) ?? []),
  }
}

/** States that the value at a path of a document lies in one of several spans. */
export interface PathCondition {
  readonly steps: readonly (string | number)[]
  readonly spans: readonly Span[]
}

/** What the conditions of a filter say about the documents that pass. */
export interface DocumentHints {
  /** See `CompiledQuery.equalities`. */
  readonly equalities: ReadonlyMap<string, unknown>
  /** See `CompiledQuery.requiredTexts`. */
  readonly requiredTexts: readonly string[]
  /** See `CompiledQuery.conditions`. */
  readonly conditions: readonly PathCondition[]
  /** See `CompiledQuery.presences`. */
  readonly presences: readonly PathCondition['steps'][]
}

/** The names of the properties that the service adds. */
const systemName = /^_(?:rid|self|etag|attachments|ts|lsn)$/

/** The longest text worth searching for in every document. */
const longestRequiredText = 200

/** Returns what is known about documents with this alias that pass a filter. */
export function hintsOf(
  { conditions, presences, containing }: Filter,
  alias: string | undefined,
): DocumentHints {
  const own = conditions.filter((condition) => condition.alias === alias)
  const equalities = new Map<string, unknown>()
  const requiredTexts = containing
    .filter((one) => one.alias === alias)
    .flatMap(({ steps, item }) => textIn(steps, item))
  for (const { steps, spans } of own) {
    const [span, ...others] = spans
    if (span === undefined || others.length > 0 || !isPoint(span)) continue
    const { value } = span.low
    requiredTexts.push(...textIn(steps, value))
    const path = steps.join('.')
    // A property name with a dot in it would look like a nested property.
    const isNamed = steps.every((step) => typeof step === 'string' && !step.includes('.'))
    if (isNamed && !equalities.has(path)) equalities.set(path, value)
  }
  const present = presences.filter((presence) => presence.alias === alias).map(({ steps }) => steps)
  return { equalities, requiredTexts, conditions: combined(own), presences: present }
}

/** Returns the JSON of a value if it is a short text and the client sets the property. Every document with the value contains this JSON. */
function textIn([name]: Condition['steps'], value: unknown): readonly string[] {
  const isOwn = !systemName.test(String(name))
  return isOwn && typeof value === 'string' && value.length <= longestRequiredText
    ? [JSON.stringify(value)]
    : []
}

/** Combines the conditions on each path. */
function combined(conditions: readonly Condition[]): readonly PathCondition[] {
  const byPath = new Map<string, PathCondition>()
  for (const { steps, spans } of conditions) {
    const name = JSON.stringify(steps)
    const before = byPath.get(name)
    byPath.set(name, { steps, spans: before === undefined ? spans : sharedSpans(before.spans, spans) })
  }
  return [...byPath.values()]
}
