import { IndexPending } from '../indexes/index-pending.js'
import type { RestRequest, RestResponse } from '../messages/rest-message.js'
import type { Routes } from './routes.js'

/**
 * The number of times that a request waits for indexes. A query may need several of them, and each may fall
 * behind again while another one catches up. In the end, the query brings them up to date itself.
 */
const mostWaits = 20

/** Answers a request, if necessary after its indexes have caught up. Other requests are answered meanwhile. */
export function answered(routes: Routes, request: RestRequest): RestResponse | Promise<RestResponse> {
  try {
    return routes(request, true)
  } catch (error) {
    if (error instanceof IndexPending) return answeredAfter(error, routes, request)
    throw error
  }
}

async function answeredAfter(
  { ready }: IndexPending,
  routes: Routes,
  request: RestRequest,
): Promise<RestResponse> {
  let pending = ready
  for (let waits = 0; waits < mostWaits; waits += 1) {
    try {
      await pending
      return routes(request, true)
    } catch (error) {
      // If a document cannot be read, the query meets the same error and answers with it.
      if (!(error instanceof IndexPending)) break
      pending = error.ready
    }
  }
  return routes(request)
}
