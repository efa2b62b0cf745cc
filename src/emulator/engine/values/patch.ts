import { isJsonObject, type JsonObject } from './json.js'
import { limits } from './limits.js'
import { badRequest } from './refusal.js'

const patchKinds = ['add', 'set', 'replace', 'remove', 'incr', 'move'] as const

/** One change inside a document. */
export interface PatchStep {
  readonly kind: (typeof patchKinds)[number]
  /** The property names, from the outermost to the innermost. */
  readonly path: readonly string[]
  /** The source path of a `move`. */
  readonly from: readonly string[]
  readonly value: unknown
}

/** Changes inside a document, with an optional condition. */
export interface Patch {
  readonly steps: readonly PatchStep[]
  /** Decides whether the stored document may be patched. Default: always. */
  readonly isApplicable?: (document: Readonly<JsonObject>) => boolean
}

/** Reads the operations of a patch. The `guarded` paths, such as the partition key, must not change. */
export function parsePatchSteps(operations: unknown, guarded: readonly string[]): readonly PatchStep[] {
  if (!Array.isArray(operations) || operations.length === 0) {
    throw badRequest('A patch must be an array of at least one operation.')
  }
  if (operations.length > limits.patchOperations) {
    throw badRequest(`A patch has ${operations.length} operations; the limit is ${limits.patchOperations}.`)
  }
  return operations.map((operation: unknown) => parseStep(operation, guarded))
}

function parseStep(operation: unknown, guarded: readonly string[]): PatchStep {
  const fields = isJsonObject(operation) ? operation : {}
  const kind = patchKinds.find((known) => known === fields['op'])
  if (kind === undefined) {
    throw badRequest(
      `The patch operation ${JSON.stringify(fields['op'])} is not one of ${patchKinds.join(', ')}.`,
    )
  }
  if (kind === 'incr' && typeof fields['value'] !== 'number') {
    throw badRequest(`incr takes a number; it was given ${JSON.stringify(fields['value'])}.`)
  }
  const isValueNeeded = kind !== 'remove' && kind !== 'move'
  if (isValueNeeded && fields['value'] === undefined)
    throw badRequest(`The patch operation ${kind} needs a value.`)
  const path = parsePath(fields['path'], guarded)
  const from = kind === 'move' ? parsePath(fields['from'], guarded) : []
  if (kind === 'move' && isWithin(path, from)) {
    throw badRequest(`move cannot put ${JSON.stringify(fields['from'])} inside itself.`)
  }
  return { kind, path, from, value: fields['value'] }
}

const systemNames = ['id', '_rid', '_self', '_etag', '_attachments', '_ts', '_lsn']

function parsePath(path: unknown, guarded: readonly string[]): readonly string[] {
  if (typeof path !== 'string' || !path.startsWith('/') || path.length < 2) {
    throw badRequest(`The patch path ${JSON.stringify(path)} must look like /name or /outer/0.`)
  }
  const names = path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const touchesGuarded = guarded.some((kept) => {
    const keptNames = kept.slice(1).split('/')
    return isWithin(names, keptNames) || isWithin(keptNames, names)
  })
  if (touchesGuarded || systemNames.includes(names[0] ?? '')) {
    throw badRequest(`The patch path ${path} would change the id, the partition key or a system property.`)
  }
  return names
}

/** Checks whether `path` is `outer` or lies below it. */
function isWithin(path: readonly string[], outer: readonly string[]): boolean {
  return outer.every((name, index) => name === path[index])
}

/** Changes `document` itself and returns it. */
export function applyPatch(document: JsonObject, steps: readonly PatchStep[]): JsonObject {
  for (const step of steps) applyStep(document, step)
  return document
}

function applyStep(document: JsonObject, step: PatchStep): void {
  const place = placeOf(document, step.path)
  switch (step.kind) {
    case 'add':
      insert(place, step.value)
      return
    case 'set':
      assign(place, step.value)
      return
    case 'replace':
      assertPresent(place)
      assign(place, step.value)
      return
    case 'remove':
      remove(place)
      return
    case 'incr':
      increment(place, Number(step.value))
      return
    case 'move': {
      const source = placeOf(document, step.from)
      const moved = valueAt(source)
      remove(source)
      insert(placeOf(document, step.path), moved)
    }
  }
}

/** The object or array that contains the target of a path, and the target's name or index in it. */
type Place = { readonly shown: string } & (
  | { readonly holder: JsonObject; readonly name: string }
  | { readonly list: unknown[]; readonly index: number }
)

function placeOf(document: JsonObject, path: readonly string[]): Place {
  const shown = `/${path.join('/')}`
  let holder: unknown = document
  for (const name of path.slice(0, -1)) {
    if (isJsonObject(holder)) holder = Object.hasOwn(holder, name) ? holder[name] : undefined
    else if (Array.isArray(holder)) holder = holder[listIndex(name)]
    else holder = undefined
  }
  const last = path.at(-1) ?? ''
  if (isJsonObject(holder)) return { shown, holder, name: last }
  if (!Array.isArray(holder)) {
    throw badRequest(
      `The patch path ${shown} leads through something that is missing; add the outer property first.`,
    )
  }
  const index = last === '-' ? holder.length : listIndex(last)
  if (!(index <= holder.length)) {
    throw badRequest(
      `The patch path ${shown} is outside of the array, which has ${holder.length} element(s).`,
    )
  }
  return { shown, list: holder, index }
}

/** Returns the index that a name represents, or NaN. */
function listIndex(name: string): number {
  return /^(0|[1-9]\d*)$/u.test(name) ? Number(name) : NaN
}

function valueAt(place: Place): unknown {
  if ('list' in place) return place.list[place.index]
  return Object.hasOwn(place.holder, place.name) ? place.holder[place.name] : undefined
}

function assertPresent(place: Place): void {
  if (valueAt(place) === undefined)
    throw badRequest(`The patch path ${place.shown} does not exist in the document.`)
}

function assign(place: Place, value: unknown): void {
  if ('list' in place) place.list[place.index] = value
  else define(place.holder, place.name, value)
}

function insert(place: Place, value: unknown): void {
  if ('list' in place) place.list.splice(place.index, 0, value)
  else define(place.holder, place.name, value)
}

/** Defines a property. Assigning to the name `__proto__` would set the prototype instead. */
function define(holder: JsonObject, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
}

function remove(place: Place): void {
  assertPresent(place)
  if ('list' in place) place.list.splice(place.index, 1)
  else Reflect.deleteProperty(place.holder, place.name)
}

function increment(place: Place, by: number): void {
  if ('list' in place) assertPresent(place)
  const current = valueAt(place) === undefined ? 0 : valueAt(place)
  if (typeof current !== 'number') {
    throw badRequest(
      `incr at ${place.shown} found ${JSON.stringify(current).slice(0, 60)}, which is not a number.`,
    )
  }
  const sum = current + by
  if (!Number.isFinite(sum)) throw badRequest(`incr at ${place.shown} gives a number that is too large.`)
  assign(place, sum)
}
