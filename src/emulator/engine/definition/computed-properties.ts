import { isJsonObject, type JsonObject } from '../values/json.js'
import { limits } from '../values/limits.js'
import { badRequest } from '../values/refusal.js'

/** A property that a container computes from each document. */
export interface ComputedPropertyDefinition {
  readonly name: string
  readonly query: string
  /** Whether the indexing policy includes the property by its name. */
  readonly isIndexed: boolean
}

const systemNames = ['id', '_rid', '_self', '_etag', '_attachments', '_ts']

/** Reads the computed properties of a container. The caller must check their queries. */
export function parseComputedProperties(
  value: unknown,
  indexingPolicy: JsonObject,
): readonly ComputedPropertyDefinition[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw badRequest('The computedProperties of a container must be an array.')
  if (value.length > limits.computedProperties) {
    throw badRequest(
      `The container has ${value.length} computed properties; the limit is ${limits.computedProperties}.`,
    )
  }
  const properties = value.map((property) => parseProperty(property, indexingPolicy))
  const twice = properties.find(({ name }, index) => properties.findIndex((one) => one.name === name) < index)
  if (twice === undefined) return properties
  throw badRequest(`The computed property '${twice.name}' is defined twice. Each needs its own name.`)
}

function parseProperty(property: unknown, indexingPolicy: JsonObject): ComputedPropertyDefinition {
  const { name, query } = isJsonObject(property) ? property : {}
  if (typeof name !== 'string' || name === '' || typeof query !== 'string') {
    throw badRequest(
      `The computed property ${JSON.stringify(property).slice(0, 100)} must look like ` +
        '{ "name": "cp_lower", "query": "SELECT VALUE LOWER(c.name) FROM c" }.',
    )
  }
  if (systemNames.includes(name)) {
    throw badRequest(
      `The computed property '${name}' has the name of a system property. Choose another name.`,
    )
  }
  const indexedIn = (policy: string): boolean =>
    pathsIn(indexingPolicy[policy]).some((path) => isPathOf(path, name))
  if (indexedIn('spatialIndexes')) {
    throw badRequest(`The computed property '${name}' must not have a spatial index.`)
  }
  return { name, query, isIndexed: indexedIn('includedPaths') }
}

function pathsIn(indexes: unknown): readonly string[] {
  if (!Array.isArray(indexes)) return []
  return indexes.flatMap((index: unknown) =>
    isJsonObject(index) && typeof index['path'] === 'string' ? [index['path']] : [],
  )
}

function isPathOf(path: string, name: string): boolean {
  const first = path.split('/')[1] ?? ''
  return first === name || first === JSON.stringify(name)
}
