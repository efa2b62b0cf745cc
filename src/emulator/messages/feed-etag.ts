import { badRequest } from '../engine/index.js'

/** Returns the LSN in a quoted etag of the change feed, such as `"50"`. */
export function parseFeedEtag(etag: string): number {
  const digits = /^"?(\d{1,15})"?$/u.exec(etag)?.[1]
  if (digits === undefined) {
    throw badRequest(
      `The continuation ${etag.slice(0, 60)} does not come from a feed; it must look like "50".`,
    )
  }
  return Number(digits)
}
