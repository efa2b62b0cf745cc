/** The place and time of a write. No two versions of a container agree in all of it. */
export interface EtagParts {
  readonly rangeId: string
  readonly lsn: number
  readonly place: number
  readonly ts: number
}

/** Returns a quoted etag in the service's shape, different for every write. */
export function etagOf({ rangeId, lsn, place, ts }: EtagParts): string {
  return `"${hex(lsn, 8)}-${hex(place, 4)}-${hex(Number(rangeId), 4)}-0000-${hex(ts, 12)}"`
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** The etag of settings that were changed, which have no LSN of their own. */
export function nextEtag(etag: string, ts: number): string {
  const changes = Number.parseInt(etag.slice(1, 9), 16)
  return etagOf({ rangeId: '0', lsn: changes + 1, place: 0, ts })
}
