import type { Json } from '../model/documents.js'
import type { ReferencePath } from '../model/values/reference.js'
import type { StepOutcome } from '../model/values/step-handle.js'
import { isTicket, partOfTicket, ticketForText, ticketOf } from '../model/values/ticket.js'
import { toTemplate } from '../model/values/to-template.js'

export interface KnownValues {
  readonly input: Json
  /** Returns the output of a step. */
  readonly outputs: Pick<ReadonlyMap<string, Json>, 'get'>
  /** Returns the outcome of a step that is over. Default: no step is over. */
  readonly outcomeOf?: (stepId: string) => StepOutcome | undefined
}

/** The parts of a step to which a template may refer. */
export type StepPart = (ReferencePath & readonly ['steps', ...unknown[]])[2]

const none: ReadonlySet<string> = new Set()

/** Returns the ids of the steps to which a template refers, by output or outcome. They must be over before. */
export function stepsReferredTo(template: Json): ReadonlySet<string> {
  return stepsWithPart(template, 'output', 'outcome')
}

/** Returns the ids of the steps to one of whose parts a template refers. */
export function stepsWithPart(template: Json, ...parts: readonly StepPart[]): ReadonlySet<string> {
  if (typeof template !== 'object' || template === null) return none
  const found = new Set<string>()
  visitNodes(template, (node) => {
    if (node.kind !== 'reference' || node.path[0] !== 'steps') return
    const [, stepId, part] = node.path
    if (parts.includes(part)) found.add(stepId)
  })
  return found
}

/** Checks whether a template contains a text with values. */
export function hasText(template: Json): boolean {
  let isFound = false
  visitNodes(template, ({ kind }) => {
    if (kind === 'text') isFound = true
  })
  return isFound
}

/**
 * Visits each reference in a template, with its place in the value that the template makes. A reference in a
 * text has the place of the text.
 */
export function visitReferences(
  template: Json,
  visit: (path: ReferencePath, at: readonly string[], isInText: boolean) => void,
  at: readonly string[] = [],
): void {
  const node = nodeOf(template)
  if (node.kind === 'reference') visit(node.path, at, false)
  if (node.kind === 'text')
    visitNodes(template, (part) => part.kind === 'reference' && visit(part.path, at, true))
  if (node.kind === 'list')
    for (const [index, item] of node.items.entries()) visitReferences(item, visit, [...at, String(index)])
  if (node.kind === 'object')
    for (const [name, part] of Object.entries(node.properties)) visitReferences(part, visit, [...at, name])
}

function visitNodes(template: Json, visit: (node: TemplateNode) => void): void {
  const node = nodeOf(template)
  visit(node)
  if (node.kind === 'list' || node.kind === 'text') for (const item of node.items) visitNodes(item, visit)
  if (node.kind === 'object') for (const part of Object.values(node.properties)) visitNodes(part, visit)
}

/**
 * Replaces every reference in a template with its value. A property with a missing value is omitted. At the
 * root or in a list, a missing value becomes null.
 */
export function resolveTemplate(template: Json, known: KnownValues): Json {
  return resolvePart(template, known) ?? null
}

/**
 * Replaces every reference in a template with its value, except references to the output of `openStepId`. The
 * result can be resolved later with that output alone.
 */
export function bindTemplate(template: Json, known: KnownValues, openStepId: string): Json {
  const bound = replaceReferences(template, (path) => {
    if (path[0] === 'steps' && path[1] === openStepId) return { $from: [...path] }
    const value = follow(path, known)
    return value === undefined ? undefined : toTemplate(value, 'value')
  })
  return bound ?? null
}

/** Replaces references into the job's input with parts of `input`, and renames the ids of steps. */
export function substitute(template: Json, input: Json, rename: (stepId: string) => string): Json {
  const replaced = replaceReferences(template, (path) => {
    if (path[0] === 'input') return partOf(input, path.slice(1))
    return { $from: ['steps', rename(path[1]), ...path.slice(2)] }
  })
  return replaced ?? null
}

/**
 * Returns the part of a template at a path. If a reference is found before the end of the path, the result is
 * that reference with the rest of the path added.
 */
function partOf(template: Json | undefined, path: readonly string[]): Json | undefined {
  const [key, ...rest] = path
  if (key === undefined || template === undefined) return template
  const node = nodeOf(template)
  switch (node.kind) {
    case 'reference':
      return { $from: [...node.path, ...path] }
    case 'list':
      return partOf(property(node.items, key), rest)
    case 'object':
      return partOf(property(node.properties, key), rest)
    case 'text':
    case 'value':
      return undefined
  }
}

/** Replaces each reference with another template. `replace` returns undefined for a missing value. */
function replaceReferences(
  template: Json,
  replace: (path: ReferencePath) => Json | undefined,
): Json | undefined {
  const node = nodeOf(template)
  switch (node.kind) {
    case 'reference':
      return replace(node.path)
    case 'list':
      return node.items.map((item) => replaceReferences(item, replace) ?? null)
    case 'text':
      return { $from: ['text', ...node.items.map((item) => replaceReferences(item, replace) ?? null)] }
    case 'object': {
      const replaced = Object.entries(node.properties).flatMap(([key, part]): [string, Json][] => {
        const value = replaceReferences(part, replace)
        return value === undefined ? [] : [[key, value]]
      })
      const properties = Object.fromEntries(replaced)
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
    case 'text':
      return textOf(node.items.map((item) => resolvePart(item, known) ?? null))
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
  const [, stepId, part, ...rest] = path
  const value = part === 'output' ? known.outputs.get(stepId) : known.outcomeOf?.(stepId)
  return rest.reduce<Json | undefined>(property, value)
}

/** Returns the text that is made of these values. If one of them is in a payload, the agent makes the text. */
function textOf(parts: readonly Json[]): Json {
  return parts.some(isTicket) ? ticketForText(parts) : parts.map(asText).join('')
}

/** Returns a value as a part of a text. */
export function asText(value: Json): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export function property(value: Json | undefined, key: string): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined
  const ticket = ticketOf(value)
  if (ticket !== null) return partOfTicket(ticket, key)
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, Json>>)[key] : undefined
}

type TemplateNode =
  | { readonly kind: 'reference'; readonly path: ReferencePath }
  | { readonly kind: 'list'; readonly items: readonly Json[] }
  /** A text that is made of these parts. */
  | { readonly kind: 'text'; readonly items: readonly Json[] }
  | { readonly kind: 'object'; readonly properties: Readonly<Record<string, Json>> }
  | { readonly kind: 'value'; readonly value: Json }

function nodeOf(template: Json): TemplateNode {
  if (isList(template)) return { kind: 'list', items: template }
  if (typeof template !== 'object' || template === null) return { kind: 'value', value: template }
  const { $from, $literal } = template
  if (isList($from)) {
    if ($from[0] === 'text') return { kind: 'text', items: $from.slice(1) }
    return { kind: 'reference', path: $from as unknown as ReferencePath }
  }
  if (typeof $literal === 'object' && $literal !== null && !isList($literal)) {
    return { kind: 'object', properties: $literal }
  }
  return { kind: 'object', properties: template }
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
