import { isJsonObject, shown, type JsonObject } from '../values/json.js'
import { badRequest } from '../values/refusal.js'

const spatialTypes = ['Point', 'Polygon', 'MultiPolygon', 'LineString']

/** Refuses an indexing policy whose parts do not fit together. `parseIndexPath` checks each path. */
export function assertIndexes(policy: JsonObject): void {
  assertRootPath(policy)
  listOf(policy['compositeIndexes']).forEach(assertCompositeIndex)
  listOf(policy['spatialIndexes']).forEach(assertSpatialIndex)
}

function assertRootPath({ includedPaths, excludedPaths }: JsonObject): void {
  const given = [...listOf(includedPaths), ...listOf(excludedPaths)].map(pathOf)
  if (given.length === 0 || given.includes('/*') || given.includes('/')) return
  throw badRequest(
    'The special mandatory indexing path "/" is not provided in any of the path type sets. Please provide ' +
      'this path in one of the sets.',
  )
}

function assertCompositeIndex(index: unknown, place: number): void {
  const name = `indexingPolicy.additionalIndexes.composite[${place}]`
  const paths = listOf(index).map(pathOf)
  if (paths.length < 2) throw badRequest(`The composite index at '${name}' must have at least 2 paths.`)
  const repeated = paths.find((path, position) => paths.indexOf(path) < position)
  if (repeated === undefined) return
  throw badRequest(
    `The following path '${repeated}' was specified more than once in '${name}'. Remove the ` +
      'duplicated field.',
  )
}

function assertSpatialIndex(index: unknown): void {
  const types = isJsonObject(index) ? listOf(index['types']) : []
  const unknown = types.find((type) => !spatialTypes.includes(shown(type)))
  if (pathOf(index) !== undefined && unknown === undefined) return
  throw badRequest(
    `The spatial index ${JSON.stringify(index)} must have a "path", and "types" from ${spatialTypes.join(', ')}.`,
  )
}

function pathOf(entry: unknown): string | undefined {
  const path = isJsonObject(entry) ? entry['path'] : undefined
  return typeof path === 'string' ? path : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
