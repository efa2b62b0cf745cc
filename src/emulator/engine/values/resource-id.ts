/**
 * Resource ids (`_rid`) in the service's format, because every SDK parses them. The rid of a database has 4
 * bytes. The rid of a container has 8 bytes, and the rid of a document has 16. Both begin with the rid of
 * their owner, as do the rids of a user (8 bytes) and of a permission (16). The rid of an offer has 3 bytes.
 * Rids are written in base64, with `-` instead of `/`.
 */

/** The bit that distinguishes the rid of a container from the rid of a user of the same database. */
const containerFlag = 0x8000_0000

export function databaseRid(number: number): string {
  return encoded(numbered(number))
}

export function offerRid(number: number): string {
  return encoded(numbered(number).subarray(1))
}

/**
 * Returns the rid of the container with this number in a database. The Java client stores session tokens by
 * the second half of the rid alone, so this half must differ between databases. In the service, this half
 * looks random.
 */
export function containerRid(database: string, number: number): string {
  const owner = decoded(database)
  return encoded(Buffer.concat([owner, numbered(containerFlag | (owner.readUInt32BE() + number))]))
}

export function userRid(database: string, number: number): string {
  return encoded(Buffer.concat([decoded(database), numbered(number & ~containerFlag)]))
}

/** A permission has a number of 8 bytes, like a document. */
export function permissionRid(user: string, number: number): string {
  return documentRid(user, number)
}

export function documentRid(container: string, number: number): string {
  const { bytes } = latestOf(container)
  bytes.writeUInt32LE(number % 2 ** 32, 8)
  bytes.writeUInt32LE(Math.floor(number / 2 ** 32), 12)
  return encoded(bytes)
}

/** Returns the rid of the database that owns a container. */
export function databaseRidOf(container: string): string {
  return latestOf(container).database
}

/** The owner of the latest rid. Most documents in a row have the same one, and decoding it costs more than the rest. */
const latest = { owner: '', database: '', bytes: Buffer.alloc(16) }

function latestOf(owner: string): typeof latest {
  if (latest.owner === owner) return latest
  latest.bytes.fill(0)
  decoded(owner).copy(latest.bytes)
  latest.database = encoded(latest.bytes.subarray(0, 4))
  latest.owner = owner
  return latest
}

/** Returns the document number in a rid, or null if it is not the rid of a document of this container. */
export function documentNumber(container: string, rid: string): number | null {
  const bytes = decoded(rid)
  const owner = decoded(container)
  const isOwn = bytes.length === 16 && bytes.subarray(0, 8).equals(owner) && encoded(bytes) === rid
  return isOwn ? Number(bytes.readBigUInt64LE(8)) : null
}

function numbered(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number >>> 0)
  return bytes
}

function encoded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('/', '-')
}

function decoded(rid: string): Buffer {
  return Buffer.from(rid.replaceAll('-', '/'), 'base64')
}
