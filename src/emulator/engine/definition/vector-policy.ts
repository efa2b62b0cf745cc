import { isDeepStrictEqual } from 'node:util'
import { isJsonObject, shown, type JsonObject } from '../values/json.js'
import { badRequest } from '../values/refusal.js'

/** A path that holds vectors, with the measure that VectorDistance uses for it. */
export interface Embedding {
  /** The path, such as `/vector` or `/inner/vector`. */
  readonly path: string
  readonly distanceFunction: string
}

const dataTypes = ['float32', 'float16', 'int8', 'uint8']
const distanceFunctions = ['cosine', 'dotproduct', 'euclidean']

/** The most dimensions of a vector, by the type of its index. The name '' is for a path without an index. */
const mostDimensions: Readonly<Record<string, number>> = {
  '': 4096,
  flat: 505,
  quantizedFlat: 4096,
  diskANN: 4096,
}

/** Reads the vector policy of a container and checks the vector indexes against it. */
export function parseVectorPolicy(body: JsonObject): readonly Embedding[] {
  const entries = listAt(body['vectorEmbeddingPolicy'], 'vectorEmbeddings')
  const dimensions = new Map<string, number>()
  const embeddings = entries.map((entry) => parseEmbedding(entry, dimensions))
  for (const index of listAt(body['indexingPolicy'], 'vectorIndexes')) assertVectorIndex(index, dimensions)
  return embeddings
}

/** Refuses new settings of a vector path that exists already. A path may be added or removed. */
export function assertSameVectors(current: JsonObject, replacement: JsonObject): void {
  assertSameEntries(current, replacement, 'vectorEmbeddingPolicy/vectorEmbeddings', 'vector embedding')
  assertSameEntries(current, replacement, 'indexingPolicy/vectorIndexes', 'vector indexing')
}

function assertSameEntries(current: JsonObject, replacement: JsonObject, place: string, what: string): void {
  const [holder = '', name = ''] = place.split('/')
  const before = new Map(listAt(current[holder], name).map((entry) => [entry['path'], entry]))
  for (const entry of listAt(replacement[holder], name)) {
    const former = before.get(entry['path'])
    if (former === undefined || isDeepStrictEqual(former, entry)) continue
    throw badRequest(
      `Paths in existing ${what} policy cannot be modified in Collection Replace. They can only be added or ` +
        `removed. The path is ${shown(entry['path'])}.`,
    )
  }
}

function parseEmbedding(entry: JsonObject, dimensionsByPath: Map<string, number>): Embedding {
  const { path, dataType = 'float32', dimensions = 1536, distanceFunction = 'cosine' } = entry
  if (typeof path !== 'string' || !/^(\/[^/*[\]?]+)+$/u.test(path)) {
    throw invalid(`Path:${shown(path)}. Specify the correct path for vector properties of your documents.`)
  }
  if (dimensionsByPath.has(path)) throw invalid(`Path:${path}, which it names twice.`)
  if (!isOneOf(dataTypes, dataType)) throw invalid(`DataType:${shown(dataType)}.`)
  if (!isOneOf(distanceFunctions, distanceFunction)) {
    throw invalid(`DistanceFunction:${shown(distanceFunction)}.`)
  }
  dimensionsByPath.set(path, checkedDimensions(dimensions, ''))
  return { path, distanceFunction: shown(distanceFunction).toLowerCase() }
}

function checkedDimensions(dimensions: unknown, indexType: string): number {
  const most = mostDimensions[indexType] ?? 0
  const found = `The Vector Embedding Policy has Dimensions:${shown(dimensions)} which is`
  if (typeof dimensions !== 'number' || !Number.isInteger(dimensions) || dimensions < 1) {
    throw badRequest(`${found} not a whole number from 1 to ${most}.`)
  }
  if (dimensions <= most) return dimensions
  throw badRequest(`${found} more than the maximum supported value of ${most}.`)
}

function assertVectorIndex(index: JsonObject, dimensions: ReadonlyMap<string, number>): void {
  const { path, type, quantizationByteSize, indexingSearchListSize } = index
  if (typeof type !== 'string' || type === '' || !Object.hasOwn(mostDimensions, type)) {
    throw badRequest(`The Vector Indexing Policy's Index Type::${shown(type)} is invalid.`)
  }
  assertRange('QuantizationByteSize', quantizationByteSize, 1, 512)
  assertRange('IndexingSearchListSize', indexingSearchListSize, 10, 500)
  const found = dimensions.get(shown(path))
  if (found === undefined) {
    throw badRequest(`The Vector Indexing Policy's path::${shown(path)} not matching in Embedding's path.`)
  }
  checkedDimensions(found, type)
}

function assertRange(name: string, value: unknown, least: number, most: number): void {
  if (value === undefined || value === null) return
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return
  throw badRequest(
    `The Vector Indexing Policy's ${name} value :: ${shown(value)} is out of range. The allowed range is ` +
      `between ${least} and ${most}.`,
  )
}

function listAt(holder: unknown, name: string): readonly JsonObject[] {
  const list = isJsonObject(holder) ? (holder[name] ?? []) : []
  if (Array.isArray(list) && list.every(isJsonObject)) return list
  throw badRequest(`The ${name} must be an array of objects.`)
}

function isOneOf(names: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && names.includes(value.toLowerCase())
}

function invalid(what: string): Error {
  return badRequest(`The Vector Embedding Policy has an invalid ${what}`)
}
