/**
 * The place and time of a write. Two versions in a container always differ in at least one of these parts.
 */
export interface EtagParts {
  readonly rangeId: string
  readonly lsn: number
  readonly place: number
  readonly ts: number
}

/** Returns a quoted etag in the service's format. The etag is different for every write. */
export function etagOf({ rangeId, lsn, place, ts }: EtagParts): string {
  return `"${hex(lsn, 8)}-${hex(place, 4)}-${endOf(rangeId, ts)}"`
}

/** The latest end of an etag. Most writes in a row are to one range in the same second. */
const latest = { rangeId: '', ts: -1, end: '' }

function endOf(rangeId: string, ts: number): string {
  if (latest.ts !== ts || latest.rangeId !== rangeId) {
    Object.assign(latest, { rangeId, ts, end: `${hex(Number(rangeId), 4)}-0000-${hex(ts, 12)}` })
  }
  return latest.end
}

/** Returns the range id and the place in an etag of a document. */
export function partsOfEtag(etag: string): Pick<EtagParts, 'rangeId' | 'place'> {
  const [, place = '', rangeId = ''] = etag.slice(1, -1).split('-')
  return { place: Number.parseInt(place, 16), rangeId: String(Number.parseInt(rangeId, 16)) }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** Returns the etag of settings. Settings have no LSN, so the number of their changes is used instead. */
export function settingsEtag(changes: number, ts: number): string {
  return etagOf({ rangeId: '0', lsn: changes, place: 0, ts })
}

/** Returns the next etag of settings that have the given etag. */
export function nextEtag(etag: string, ts: number): string {
  return settingsEtag(Number.parseInt(etag.slice(1, 9), 16) + 1, ts)
}
