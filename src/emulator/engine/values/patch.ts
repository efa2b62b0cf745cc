import { isJsonObject, type JsonObject } from './json.js'
import { limits } from './limits.js'
import { badRequest, type Refusal } from './refusal.js'

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
    throw badRequest(
      `The number of patch operations cannot exceed ${limits.patchOperations}, and this patch has ` +
        `${operations.length}. Send the rest in another patch.`,
    )
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

const systemNames = ['_rid', '_self', '_etag', '_attachments', '_ts', '_lsn']

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
  const [first = ''] = names
  if (systemNames.includes(first)) {
    throw badRequest(
      `Invalid patch request: Cannot patch system property ${first}. Only the service sets it.`,
    )
  }
  if (touchesGuarded || first === 'id') {
    throw badRequest(`The patch path ${path} would change the id or the partition key.`)
  }
  return names
}

/** Checks whether `path` is `outer` or lies below it. */
function isWithin(path: readonly string[], outer: readonly string[]): boolean {
  return outer.every((name, index) => name === path[index])
}

/** Changes `document` itself and returns it. */
export function applyPatch(document: JsonObject, steps: readonly PatchStep[]): JsonObject {
  for (const [index, step] of steps.entries()) {
    const find = (path: readonly string[]): Place =>
      placeOf(document, path, { kind: step.kind, words: `For Operation(${index + 1}):` })
    applyStep(step, find)
  }
  return document
}

function applyStep(step: PatchStep, find: (path: readonly string[]) => Place): void {
  const place = find(step.path)
  switch (step.kind) {
    case 'add':
      insert(place, step.value)
      return
    case 'set':
      assign(place, step.value)
      return
    case 'replace':
      assertPresent(place, 'to be replaced is absent. Add it first, or use set.')
      assign(place, step.value)
      return
    case 'remove':
      remove(place)
      return
    case 'incr':
      increment(place, Number(step.value))
      return
    case 'move': {
      const source = find(step.from)
      const moved = valueAt(source)
      remove(source)
      insert(find(step.path), moved)
    }
  }
}

/** The object or array that contains the target of a path, and the target's name or index in it. */
type Place = { readonly words: string; readonly shown: string } & (
  | { readonly holder: JsonObject; readonly name: string }
  | { readonly list: unknown[]; readonly index: number }
)

/** The kind of an operation, and the words with which the service begins each of its errors. */
interface Operation {
  readonly kind: PatchStep['kind']
  readonly words: string
}

function placeOf(document: JsonObject, path: readonly string[], { kind, words }: Operation): Place {
  const shown = `/${path.join('/')}`
  let holder: unknown = document
  for (const name of path.slice(0, -1)) {
    const inner = memberOf(holder, name)
    if (!isJsonObject(inner) && !Array.isArray(inner)) throw noParent(name, { kind, words })
    holder = inner
  }
  const last = path.at(-1) ?? ''
  if (isJsonObject(holder)) return { words, shown, holder, name: last }
  const list = holder as unknown[]
  const index = last === '-' ? list.length : listIndex(last)
  if (!(index <= list.length)) throw outOfBounds(words, last, list)
  return { words, shown, list, index }
}

function memberOf(holder: unknown, name: string): unknown {
  if (Array.isArray(holder)) return holder[listIndex(name)]
  return isJsonObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined
}

function noParent(name: string, { kind, words }: Operation): Refusal {
  return badRequest(
    `${words} ${kind === 'add' ? 'Add' : 'Given'} Operation can only create a child object of an existing ` +
      `node(array or object) and cannot create path recursively, no path found beyond: '${name}'. Add ` +
      `'${name}' first.`,
  )
}

function outOfBounds(words: string, index: string, { length }: readonly unknown[]): Refusal {
  return badRequest(
    `${words} Index(${index}) to operate on is out of array bounds. The array has ${length} element(s).`,
  )
}

/** Returns the index that a name represents, or NaN. */
function listIndex(name: string): number {
  return /^(0|[1-9]\d*)$/u.test(name) ? Number(name) : NaN
}

function valueAt(place: Place): unknown {
  if ('list' in place) return place.list[place.index]
  return Object.hasOwn(place.holder, place.name) ? place.holder[place.name] : undefined
}

/** Throws a `Refusal` if there is no value at the place. `rest` ends the sentence about the node. */
function assertPresent(place: Place, rest: string): void {
  if (valueAt(place) !== undefined) return
  if ('list' in place) throw outOfBounds(place.words, String(place.index), place.list)
  throw badRequest(`${place.words} Node(${place.shown}) ${rest}`)
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
  assertPresent(
    place,
    'to be removed is absent. Note: it may also have been removed earlier in the transaction. Read the ' +
      'document, and decide again.',
  )
  if ('list' in place) place.list.splice(place.index, 1)
  else Reflect.deleteProperty(place.holder, place.name)
}

function increment(place: Place, by: number): void {
  const { words, shown } = place
  if ('list' in place) assertPresent(place, '')
  const current = valueAt(place) === undefined ? 0 : valueAt(place)
  if (typeof current !== 'number') {
    const found = JSON.stringify(current).slice(0, 60)
    throw badRequest(`${words} Node(${shown}) is not a number. It is ${found}; set it to a number first.`)
  }
  const sum = current + by
  if (!Number.isFinite(sum)) throw badRequest(`${words} incr of ${shown} gives a number that is too large.`)
  assign(place, sum)
}
