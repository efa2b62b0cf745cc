import { badRequest, lookupCharge, type JsonObject, type PhysicalPartition } from '../../engine/index.js'
import { mergePartitions, splitPartition, type PartitionRange } from '../../engine/partition-changes.js'
import type { Answer } from '../../messages/rest-message.js'
import { bodyObject, type RouteContext } from './context.js'

/** A physical range and the number of its documents. */
interface CountedRange extends PartitionRange {
  readonly documents: number
}

type Operation = (context: RouteContext, body: JsonObject) => JsonObject

/**
 * The operations that Cosmos DB itself does not have, by method and path, such as POST `/_stepward/split`.
 */
const operations: Readonly<Record<string, Operation>> = {
  'POST split': (context, body) => {
    const rangeId = body['rangeId'] === undefined ? undefined : text(body, 'rangeId')
    return ranges(splitPartition(container(context, body), rangeId))
  },
  'POST ranges': (context, body) => ranges(container(context, body).partitions.map(counted)),
  'POST merge': (context, body) => ranges(mergePartitions(container(context, body), rangeIds(body))),
}

/**
 * Answers `/_stepward/{operation}`. As with other requests, the client signs it with the master key. The body
 * names the database and the container.
 */
export function routeAdmin(context: RouteContext): Answer | undefined {
  const { request, segments } = context
  const name = `${request.method} ${segments.slice(1).join('/')}`
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
  if (operation === undefined) return undefined
  const body = JSON.stringify(operation(context, bodyObject(request)))
  return { status: 200, body, charge: lookupCharge }
}

function container({ engine }: RouteContext, body: JsonObject): ReturnType<typeof engine.container> {
  return engine.container(text(body, 'database'), text(body, 'container'))
}

function ranges(made: readonly PartitionRange[]): JsonObject {
  return { ranges: made }
}

function counted({ id, range, documents }: PhysicalPartition): CountedRange {
  return { id, ...range, documents: documents.size }
}

function rangeIds(body: JsonObject): readonly [string, string] {
  const ids: unknown = body['rangeIds']
  const [one, other, ...more]: readonly unknown[] = Array.isArray(ids) ? (ids as unknown[]) : []
  if (typeof one === 'string' && typeof other === 'string' && more.length === 0) return [one, other]
  throw badRequest(`"rangeIds" is ${JSON.stringify(ids)}; it must be an array of two range ids.`)
}

function text(body: JsonObject, name: string): string {
  const value = body[name]
  if (typeof value === 'string' && value !== '') return value
  throw badRequest(`"${name}" is ${JSON.stringify(value)}; it must be a string that is not empty.`)
}
