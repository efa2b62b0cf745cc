import type { ExhaustionPolicy, Json } from './documents.js'
import { toTemplate, type ReferencePath } from './reference.js'

/** Who ends a step: an agent, or the scheduler when its time has come or its event was raised. */
export type StepKind = 'operation' | 'sleep' | 'waitFor'

/** One step of a {@link Plan}, as plain JSON. */
export interface PlanStep {
  readonly id: string
  readonly kind: StepKind
  /** A condition, as JSON; null for always. */
  readonly when: Json
  readonly actor: string
  readonly action: string
  /** The step's input, with references into the job's input and earlier outputs. */
  readonly input: Json
  /** Every step that must be done first: those referred to, and those named in `after`. */
  readonly dependsOn: readonly string[]
  readonly completeWithinMs: number
  readonly maxFailures: number
  readonly retryBackoff: { readonly minMs: number; readonly maxMs: number }
  readonly initialState: string
  readonly targetState: string
  /** How what the step did is undone; null when there is nothing to undo. */
  readonly undo: PlanUndo | null
  readonly onExhausted: ExhaustionPolicy
  /** Whether an agent claims each attempt before it acts. */
  readonly isClaimRequired: boolean
}

/** The undo of a {@link PlanStep}: its input may also refer to the step's own output. */
export interface PlanUndo {
  readonly actor: string
  readonly action: string
  readonly input: Json
  readonly whenUncertain: boolean
}

/**
 * What a workflow definition compiles to, and what travels with each job: no code, so the scheduler and the supervisor
 * never need a deployment when a workflow changes, and versions live side by side.
 */
export interface Plan {
  readonly workflow: string
  readonly version: number
  readonly steps: readonly PlanStep[]
  readonly onExhausted: ExhaustionPolicy
  /** Generations, at most, of `compensateThenRetry`. */
  readonly maxGenerations: number
}

/** What a template is filled from. */
export interface KnownValues {
  readonly input: Json
  /** Outputs by step id. */
  readonly outputs: ReadonlyMap<string, Json>
}

/** The ids of the steps whose output a template refers to. */
export function stepsReferredTo(template: Json): Set<string> {
  const found = new Set<string>()
  const visit = (part: Json): void => {
    const node = nodeOf(part)
    if (node.kind === 'reference' && node.path[0] === 'steps') found.add(node.path[1])
    if (node.kind === 'list') node.items.forEach(visit)
    if (node.kind === 'object') Object.values(node.properties).forEach(visit)
  }
  visit(template)
  return found
}

/**
 * The template with every reference replaced by the value it points to. A value that is not there leaves its property
 * out (null at the root or in a list), exactly as an optional property that was not given.
 */
export function resolveTemplate(template: Json, known: KnownValues): Json {
  return resolvePart(template, known) ?? null
}

/**
 * The template with every reference filled in except those to the output of `openStepId`: what remains can be resolved
 * by whoever has that step alone.
 */
export function bindTemplate(template: Json, known: KnownValues, openStepId: string): Json {
  return bindPart(template, known, openStepId) ?? null
}

function bindPart(template: Json, known: KnownValues, openStepId: string): Json | undefined {
  const node = nodeOf(template)
  switch (node.kind) {
    case 'reference': {
      if (node.path[0] === 'steps' && node.path[1] === openStepId) return template
      const value = follow(node.path, known)
      return value === undefined ? undefined : toTemplate(value, 'value')
    }
    case 'list':
      return node.items.map((item) => bindPart(item, known, openStepId) ?? null)
    case 'object': {
      const bound = Object.entries(node.properties).flatMap(([key, part]): [string, Json][] => {
        const value = bindPart(part, known, openStepId)
        return value === undefined ? [] : [[key, value]]
      })
      const properties = Object.fromEntries(bound)
      return node.properties === template ? properties : { $literal: properties }
    }
    case 'value':
      return node.value
  }
}

function resolvePart(template: Json, known: KnownValues): Json | undefined {
  const node = nodeOf(template)
  switch (node.kind) {
    case 'reference':
      return follow(node.path, known)
    case 'list':
      return node.items.map((item) => resolvePart(item, known) ?? null)
    case 'object': {
      const resolved = Object.entries(node.properties).flatMap(([key, part]): [string, Json][] => {
        const value = resolvePart(part, known)
        return value === undefined ? [] : [[key, value]]
      })
      return Object.fromEntries(resolved)
    }
    case 'value':
      return node.value
  }
}

function follow(path: ReferencePath, known: KnownValues): Json | undefined {
  if (path[0] === 'input') return path.slice(1).reduce<Json | undefined>(property, known.input)
  return path.slice(3).reduce<Json | undefined>(property, known.outputs.get(path[1]))
}

function property(value: Json | undefined, key: string): Json | undefined {
  if (value === undefined || value === null || typeof value !== 'object') return undefined
  if (isList(value)) return value[Number(key)]
  return Object.hasOwn(value, key) ? value[key] : undefined
}

type TemplateNode =
  | { readonly kind: 'reference'; readonly path: ReferencePath }
  | { readonly kind: 'list'; readonly items: readonly Json[] }
  | { readonly kind: 'object'; readonly properties: Readonly<Record<string, Json>> }
  | { readonly kind: 'value'; readonly value: Json }

function nodeOf(template: Json): TemplateNode {
  if (isList(template)) return { kind: 'list', items: template }
  if (typeof template !== 'object' || template === null) return { kind: 'value', value: template }
  const { $from, $literal } = template
  if ($from !== undefined && isList($from))
    return { kind: 'reference', path: $from as unknown as ReferencePath }
  if (typeof $literal === 'object' && $literal !== null && !isList($literal)) {
    return { kind: 'object', properties: $literal }
  }
  return { kind: 'object', properties: template }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
