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
  return `"${lsnText(lsn)}-${placeTexts[place] ?? hex(place, 4)}-${endOf(rangeId, ts)}"`
}

/** Returns the length of an etag with these parts. The place of a write always takes four digits. */
export function etagLength({ rangeId, lsn }: Pick<EtagParts, 'rangeId' | 'lsn'>): number {
  const rest = `""---0000-`.length + 4 + 12
  return rest + Math.max(8, digitsOf(lsn)) + Math.max(4, digitsOf(Number(rangeId)))
}

function digitsOf(value: number): number {
  return value < 0x1_0000 ? 4 : value.toString(16).length
}

/** The places of writes as text. The etags of one transaction differ only in these texts. */
const placeTexts = Array.from({ length: 128 }, (_, place) => hex(place, 4))

/** The latest parts of an etag. Most writes in a row are to one range in the same second. */
const latest = { rangeId: '', ts: -1, end: '', lsn: -1, lsnText: '' }

function endOf(rangeId: string, ts: number): string {
  if (latest.ts !== ts || latest.rangeId !== rangeId) {
    Object.assign(latest, { rangeId, ts, end: `${hex(Number(rangeId), 4)}-0000-${hex(ts, 12)}` })
  }
  return latest.end
}

function lsnText(lsn: number): string {
  if (latest.lsn !== lsn) Object.assign(latest, { lsn, lsnText: hex(lsn, 8) })
  return latest.lsnText
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
