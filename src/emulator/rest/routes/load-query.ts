import type { Container } from '../../engine/index.js'
import type * as QueryRoom from '../../query/index.js'
import type { CompiledQuery, QueryOptions, QueryParameter } from '../../query/index.js'
import { header, isQuery, type RestRequest } from '../../messages/rest-message.js'

/** The query code, which is loaded late because its parser library is slow to load. */
let room: typeof QueryRoom | null = null

/** Matches a body that may define computed properties. JSON may contain their name with escapes. */
const computedProperties = /"computedProperties"|\\u/u

const headers = [header.isQueryPlan, header.isBatch]

/** Loads the query code for a request that may need it. Returns null if nothing must be loaded. */
export function queryRoomFor(request: RestRequest): Promise<void> | null {
  if (room !== null) return null
  // A patch, alone or in a batch, may have a query as its condition.
  const mayHoldQuery =
    request.method === 'PATCH' ||
    isQuery(request) ||
    computedProperties.test(request.body) ||
    headers.some((name) => request.headers[name] !== undefined)
  return mayHoldQuery ? load() : null
}

async function load(): Promise<void> {
  room = await import('../../query/index.js')
}

/** Compiles a query with the loaded code. The request must first have been passed to `queryRoomFor`. */
export function compileQuery(
  text: string,
  parameters: readonly QueryParameter[],
  options: QueryOptions,
): CompiledQuery {
  return loaded().compileQuery(text, parameters, options)
}

/** Returns the options of every query over a container's documents. */
export function queryOptions({ now, definition }: Container): QueryOptions {
  const { computedProperties, embeddings } = definition
  const measures = new Map(embeddings.map(({ path, distanceFunction }) => [path, distanceFunction]))
  return { now: () => now(), measures, computedProperties }
}

/** Checks the queries of the computed properties in a definition. */
export function checkComputed(
  properties: readonly { readonly name: string; readonly query: string }[],
): void {
  const names = properties.map(({ name }) => name)
  for (const { query } of properties) loaded().refuseInvalidComputed(query, names)
}

function loaded(): typeof QueryRoom {
  if (room === null) throw new TypeError('the query room is not loaded; call queryRoomFor with the request')
  return room
}
