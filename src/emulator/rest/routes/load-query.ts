import type * as QueryRoom from '../../query/index.js'
import type { CompiledQuery, QueryOptions, QueryParameter } from '../../query/index.js'
import { header, isQuery, type RestRequest } from '../../messages/rest-message.js'

/**
 * The query code, which is loaded with the first request that may contain a query. Its parser library takes
 * longer to load than everything else at the start of an emulator.
 */
let room: typeof QueryRoom | null = null

const headers = [header.isQueryPlan, header.isBatch]

/**
 * Loads the query code before a request that may need it, because requests are answered synchronously.
 * Returns null if nothing must be loaded.
 */
export function queryRoomFor(request: RestRequest): Promise<void> | null {
  if (room !== null) return null
  // A patch, alone or in a batch, may have a condition, which is a query.
  const mayHoldQuery =
    request.method === 'PATCH' ||
    isQuery(request) ||
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
  if (room === null) throw new TypeError('the query room is not loaded: queryRoomFor must name this request')
  return room.compileQuery(text, parameters, options)
}
