import { isDeepStrictEqual } from 'node:util'
import { isJsonObject, shown, type JsonObject } from '../values/json.js'
import { assertName } from '../values/document-id.js'
import type { PartitionKeyDefinition } from '../partitions/partition-key.js'
import { badRequest, notSupported, Refusal } from '../values/refusal.js'
import { parseComputedProperties, type ComputedPropertyDefinition } from './computed-properties.js'
import { assertConflictResolutionKept, parseConflictResolution } from './conflict-resolution.js'
import { refuseUnsupportedSettings } from './unsupported-settings.js'
import { parseFullTextPolicy } from './full-text-policy.js'
import { parseIndexingPolicy, type IndexingPolicy } from './indexing-policy.js'
import { assertIndexes } from './index-rules.js'
import { assertSameVectors, parseVectorPolicy, type Embedding } from './vector-policy.js'
import { parseUniqueKeys, type UniqueKey } from './unique-keys.js'

/** The checked settings of a container, with the service's defaults filled in. */
export interface ContainerDefinition {
  readonly id: string
  readonly partitionKey: PartitionKeyDefinition
  /**
   * The default time to live in seconds; -1 if only documents with a `ttl` expire, and null if no document
   * expires.
   */
  readonly defaultTtl: number | null
  readonly uniqueKeys: readonly UniqueKey[]
  /**
   * The seconds for which every change is kept for the all-versions feed. Null means that no history is kept.
   */
  readonly retentionSeconds: number | null
  readonly indexingPolicy: IndexingPolicy
  readonly embeddings: readonly Embedding[]
  /** The paths that have a full-text index, such as `/text`. */
  readonly fullTextIndexes: readonly string[]
  /** Whether spatial functions compute in a plane instead of on the earth. */
  readonly isPlanar: boolean
  /** Whether the indexing mode is `lazy`, so that indexes may follow writes with a delay. */
  readonly isLazilyIndexed: boolean
  readonly computedProperties: readonly ComputedPropertyDefinition[]
  /** The definition as clients see it, without the system properties. */
  readonly body: JsonObject
}

/** The path that is never indexed, whatever the policy says. */
const etagPath = '/"_etag"/?'

/** Reads the definition in a client's request to create or replace a container. */
export function parseContainerDefinition(body: JsonObject): ContainerDefinition {
  refuseUnsupportedSettings(body)
  const id = assertName(body['id'], 'container')
  const partitionKey = parsePartitionKeyDefinition(body['partitionKey'])
  const defaultTtl = parseDefaultTtl(body['defaultTtl'])
  const uniqueKeys = parseUniqueKeys(body['uniqueKeyPolicy'])
  const indexingPolicy = computedIndexingPolicy(body['indexingPolicy'])
  const { _rid, _self, _etag, _ts, _docs, _sprocs, _triggers, _udfs, _conflicts, ...own } = body
  return {
    id,
    partitionKey,
    defaultTtl,
    uniqueKeys,
    retentionSeconds: parseRetention(body['changeFeedPolicy']),
    computedProperties: parseComputedProperties(body['computedProperties'], indexingPolicy),
    isLazilyIndexed: indexingPolicy['indexingMode'] === 'lazy',
    indexingPolicy: parseIndexingPolicy(indexingPolicy),
    embeddings: parseVectorPolicy(body),
    fullTextIndexes: parseFullTextPolicy(body),
    isPlanar: parseGeospatial(body['geospatialConfig']),
    body: {
      geospatialConfig: { type: 'Geography' },
      uniqueKeyPolicy: { uniqueKeys: [] },
      ...own,
      conflictResolutionPolicy: parseConflictResolution(body['conflictResolutionPolicy']),
      indexingPolicy,
      partitionKey,
    },
  }
}

/** The path of the partition key in a container that a client created without one. */
const keylessPath = '/_partitionKey'

/** Returns the key definition that the service gives to a container without one. */
export function keylessDefinition(): JsonObject {
  return { paths: [keylessPath], kind: 'Hash', systemKey: true }
}

/**
 * Returns the indexing policy that the service derives from the given value, or the service's default policy.
 */
function computedIndexingPolicy(value: unknown): JsonObject {
  const given = isJsonObject(value) ? value : {}
  const { indexingMode: named = 'consistent', excludedPaths = [] } = given
  const indexingMode = shown(named).toLowerCase()
  if (!['consistent', 'lazy', 'none'].includes(indexingMode)) {
    throw badRequest(`The indexingMode is ${JSON.stringify(named)}; it must be consistent, lazy or none.`)
  }
  if (indexingMode === 'none') return { indexingMode, automatic: false, includedPaths: [], excludedPaths: [] }
  if (!Array.isArray(excludedPaths))
    throw badRequest('The excludedPaths of an indexing policy must be an array.')
  assertIndexes(given)
  const isComplete = excludes(excludedPaths, etagPath)
  return {
    automatic: true,
    includedPaths: excludes(excludedPaths, '/*') ? [] : [{ path: '/*' }],
    ...given,
    indexingMode,
    excludedPaths: isComplete ? excludedPaths : [...(excludedPaths as unknown[]), { path: etagPath }],
  }
}

function parsePartitionKeyDefinition(value: unknown): PartitionKeyDefinition {
  const paths = isJsonObject(value) ? value['paths'] : undefined
  if (!isJsonObject(value) || !Array.isArray(paths)) {
    throw badRequest('A container needs a partition key: { "paths": ["/pk"] }.')
  }
  const checked = paths.map(checkedPath)
  const repeated = checked.find((path, index) => checked.indexOf(path) < index)
  if (repeated !== undefined) throw badRequest(`The partition key names the path ${repeated} twice.`)
  const kind = value['kind'] ?? (checked.length > 1 ? 'MultiHash' : 'Hash')
  if (kind === 'Hash' && checked.length === 1) {
    const key = { paths: checked, kind: 'Hash', version: checkedVersion(value['version'] ?? 2) } as const
    return value['systemKey'] === true && checked[0] === keylessPath ? { ...key, systemKey: true } : key
  }
  if (kind === 'MultiHash' && checked.length >= 1 && checked.length <= 3) {
    if (checkedVersion(value['version'] ?? 2) === 2) return { paths: checked, kind, version: 2 }
    throw badRequest('A hierarchical partition key needs version 2 of the hash.')
  }
  throw badRequest(
    `A partition key of kind ${JSON.stringify(kind)} with ${checked.length} path(s) is not possible: ` +
      'Hash takes one path, MultiHash one to three.',
  )
}

const keyPath = /^(?:\/[^\s/"'\\*?[\]{}@#]+)+$/u
const acceptedPart = /^(?:\/[^\s/"'\\*?[\]{}@#]+)*\/?\s*/u
/** Java sends the names V1 and V2 instead of the numbers. */
function checkedVersion(version: unknown): 1 | 2 {
  if (version === 1 || version === 'V1') return 1
  if (version === 2 || version === 'V2') return 2
  throw badRequest(`The version of a partition key is ${JSON.stringify(version)}; it must be 1 or 2.`)
}

function checkedPath(path: unknown): string {
  if (typeof path !== 'string') {
    throw badRequest(`The partition key path ${JSON.stringify(path)} must look like /name or /outer/inner.`)
  }
  if (keyPath.test(path)) return path
  if (path.includes('/"')) throw notSupported(`A quoted name in the partition key path ${path}`)
  const position = acceptedPart.exec(path)?.[0].length ?? 0
  throw badRequest(
    `The partition key component definition path '${path}' could not be accepted, failed near position ` +
      `'${position}'. Partition key paths must contain only valid characters and not contain a trailing slash ` +
      'or wildcard character.',
  )
}

/** Returns whether spatial functions compute in a plane. */
function parseGeospatial(config: unknown): boolean {
  const type = isJsonObject(config) ? (config['type'] ?? 'Geography') : 'Geography'
  if (type === 'Geography' || type === 'Geometry') return type === 'Geometry'
  throw badRequest(`The geospatialConfig has the type ${JSON.stringify(type)}; use Geography or Geometry.`)
}

function parseDefaultTtl(value: unknown): number | null {
  return value === undefined || value === null ? null : checkedTtl('defaultTtl', value)
}

/** Returns a time to live in seconds, or -1 for never, if it is valid. Otherwise throws a `Refusal`. */
export function checkedTtl(name: 'defaultTtl' | 'ttl', value: unknown): number {
  if (value === -1) return value
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31) return value
  throw badRequest(
    `The input ${name} '${JSON.stringify(value)}' is invalid; it must be -1, which means never, or a whole ` +
      'number of seconds above 0.',
  )
}

/** Reads a retention in minutes and returns it in seconds. Returns null for 0 or a missing policy. */
function parseRetention(policy: unknown): number | null {
  if (policy === undefined || policy === null) return null
  const minutes = isJsonObject(policy) ? policy['retentionDuration'] : policy
  if (typeof minutes === 'number' && Number.isInteger(minutes) && minutes >= 0) {
    return minutes === 0 ? null : minutes * 60
  }
  throw badRequest(
    `changeFeedPolicy is ${JSON.stringify(policy)}; it must look like { "retentionDuration": 10 }; ` +
      'the duration is a whole number of minutes.',
  )
}

function excludes(paths: readonly unknown[], path: string): boolean {
  return paths.some((entry) => isJsonObject(entry) && entry['path'] === path)
}

/** Refuses new settings if they change a setting that must stay the same for the life of a container. */
export function assertRedefinable(current: ContainerDefinition, definition: ContainerDefinition): void {
  assertConflictResolutionKept(current.body, definition.body)
  if (!isDeepStrictEqual(definition.partitionKey, current.partitionKey) || definition.id !== current.id) {
    throw badRequest(
      'The id and the partition key of a container cannot be changed; create another container.',
    )
  }
  assertSameVectors(current.body, definition.body)
  if (!isDeepStrictEqual(definition.uniqueKeys, current.uniqueKeys)) {
    throw new Refusal(
      403,
      'The unique index cannot be modified. Send the uniqueKeyPolicy as it is, or create another container.',
    )
  }
}
