import { notSupported } from '../../engine/index.js'
import { header, isSet, type RestRequest } from '../../messages/rest-message.js'
import { kindsOf } from './context.js'

/** Features of the service that the emulator lacks, by the names of the levels in their paths. */
const featureByKinds: Readonly<Record<string, string>> = {
  addresses: 'Direct mode (a request for addresses)',
  media: 'An attachment',
  'dbs/clientencryptionkeys': 'A client encryption key',
  'dbs/colls/docs/attachments': 'An attachment',
  'dbs/colls/sprocs': 'A stored procedure',
  'dbs/colls/triggers': 'A trigger',
  'dbs/colls/udfs': 'A user-defined function',
}

/** Headers that would change what happens to documents, each with the feature and the harmless values. */
const featureByHeader: readonly (readonly [string, string, readonly string[]])[] = [
  ['x-ms-documentdb-pre-trigger-include', 'A trigger', ['']],
  ['x-ms-documentdb-post-trigger-include', 'A trigger', ['']],
  ['x-ms-indexing-directive', 'A document without its index entries', ['', 'default', 'include']],
  ['x-ms-cosmos-is-client-encrypted', 'Client-side encryption', ['', 'false']],
]

/** Refuses the features that this engine lacks, and names them. Ignoring them would look like success. */
export function refuseUnsupported(request: RestRequest, segments: readonly string[]): void {
  const kinds = kindsOf(segments).toLowerCase()
  const feature = Object.hasOwn(featureByKinds, kinds) ? featureByKinds[kinds] : undefined
  if (feature !== undefined) throw notSupported(feature)
  for (const [name, asked, harmless] of featureByHeader) {
    const value = request.headers[name]?.trim().toLowerCase() ?? ''
    if (!harmless.includes(value)) throw notSupported(`${asked} (${name}: ${value.slice(0, 60)})`)
  }
  // The pattern is the version byte of HybridRow, which cannot be the first byte of a UTF-8 text.
  if (isSet(request, header.isBatch) && /^[\u0081\ufffd]/u.test(request.body)) {
    throw notSupported('A batch in the binary form of the .NET client (HybridRow)')
  }
}
