import { crc32 } from 'node:zlib'

/** Length of a checksum before its value: 32 bits in hexadecimal digits. */
const sealBytes = 8

/** Over the key as well, so that no value counts in another's place. */
function checksumOf(key: string | Uint8Array, value: string | Uint8Array): number {
  return crc32(value, crc32(key))
}

/** The value as it is written: behind its checksum. */
export function sealed(key: string, value: string): string {
  return checksumOf(key, value).toString(16).padStart(sealBytes, '0') + value
}

/** The value without its checksum. */
export function unsealed(text: string): string {
  return text.slice(sealBytes)
}

/** The checksum that a value was written with. */
export function sealOf(text: string): string {
  return text.slice(0, sealBytes)
}

/** Whether a value on disk is what was written under its key. */
export function isSealed(key: Uint8Array, value: Buffer): boolean {
  return Number.parseInt(sealIn(value), 16) === checksumOf(key, value.subarray(sealBytes))
}

/** As `sealOf`, of bytes. */
export function sealIn(value: Buffer): string {
  return value.toString('latin1', 0, sealBytes)
}

const modulus = 2 ** 48

/** How many records there are, and the sum of their checksums: tells of records that are missing, or of another time. */
export class RecordTotal {
  private count = 0
  private sum = 0

  add(seal: string): void {
    this.count += 1
    this.sum = (this.sum + mixed(seal)) % modulus
  }

  remove(seal: string): void {
    this.count -= 1
    this.sum = (this.sum - mixed(seal) + modulus) % modulus
  }

  get records(): number {
    return this.count
  }

  /** As it is kept on disk. */
  get text(): string {
    return `${this.count} ${this.sum}`
  }
}

/**
 * Bits thoroughly mixed (as in murmur3). The checksums of two records that were changed alike differ alike, and would
 * cancel each other out in a sum.
 */
function mixed(seal: string): number {
  let bits = Number.parseInt(seal, 16)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
