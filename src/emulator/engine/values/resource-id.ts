/**
 * Resource ids (`_rid`) in the service's shape, because every SDK parses them: 4 bytes for a database, 8 for
 * a container (the first are its database's), 16 for a document (the first are its container's), 3 for an
 * offer. They are base64 with `-` for `/`.
 */

/** Set in the container's part, to distinguish it from a user of the same database. */
const containerFlag = 0x8000_0000

export function databaseRid(number: number): string {
  return encoded(numbered(number))
}

export function offerRid(number: number): string {
  return encoded(numbered(number).subarray(1))
}

export function containerRid(database: string, number: number): string {
  return encoded(Buffer.concat([decoded(database), numbered(containerFlag | number)]))
}

export function documentRid(container: string, number: number): string {
  const bytes = Buffer.alloc(16)
  decoded(container).copy(bytes)
  bytes.writeBigUInt64BE(BigInt(number), 8)
  return encoded(bytes)
}

/** Returns the number in a document's rid, or null when it is not a rid of that container's documents. */
export function documentNumber(container: string, rid: string): number | null {
  const bytes = decoded(rid)
  const owner = decoded(container)
  const isOwn = bytes.length === 16 && bytes.subarray(0, 8).equals(owner) && encoded(bytes) === rid
  return isOwn ? Number(bytes.readBigUInt64BE(8)) : null
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
