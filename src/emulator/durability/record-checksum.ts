import { crc32 } from 'node:zlib'

/** The length of the checksum in front of a value: 32 bits in hexadecimal digits. */
const sealBytes = 8

/** Computes the checksum of a key and its value, so that the value does not match under another key. */
function checksumOf(key: string | Uint8Array, value: string | Uint8Array): number {
  return crc32(value, crc32(key))
}

export function sealed(key: string, value: string): string {
  return checksumOf(key, value).toString(16).padStart(sealBytes, '0') + value
}

export function unsealed(text: string): string {
  return text.slice(sealBytes)
}

/** Returns a value without its checksum, as part of the same memory. */
export function unsealedBytes(value: Buffer): Buffer {
  return value.subarray(sealBytes)
}

export function sealOf(text: string): string {
  return text.slice(0, sealBytes)
}

export function isSealed(key: string | Uint8Array, value: Buffer): boolean {
  return Number.parseInt(sealIn(value), 16) === checksumOf(key, value.subarray(sealBytes))
}

/** Returns the checksum in front of a value, like `sealOf`, but takes bytes. */
export function sealIn(value: Buffer): string {
  return value.toString('latin1', 0, sealBytes)
}

const modulus = 2 ** 48

/** The number of records and the sum of their checksums, which reveal missing or outdated records. */
export class RecordTotal {
  private count = 0
  private sum = 0

  /** Returns the total that `text` returned. */
  static of(text: string): RecordTotal {
    const total = new RecordTotal()
    const [count, sum] = text.split(' ')
    total.count = Number(count)
    total.sum = Number(sum)
    return total
  }

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

  get text(): string {
    return `${this.count} ${this.sum}`
  }
}

/** Mixes a checksum's bits (as in murmur3), so that equal changes of two records do not cancel out. */
function mixed(seal: string): number {
  let bits = Number.parseInt(seal, 16)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
