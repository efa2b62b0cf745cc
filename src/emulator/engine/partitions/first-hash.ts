import type { PartitionKeyValue } from './effective-partition-key.js'
import { murmur32 } from './murmur32.js'

/** The tag that precedes each kind of value. */
const tag = { undefined: 0x00, null: 0x01, false: 0x02, true: 0x03, number: 0x05, string: 0x08 } as const

/** The number of characters of a text that count in its hash. */
const hashedCharacters = 100

/** The number of bytes of a text that follow its hash. */
const appendedBytes = 100

const signBit = 0x8000_0000_0000_0000n

/**
 * Returns the position of a partition key in the key space of version 1: the hash of its value, and then the
 * value itself. Both are encoded so that the encoded texts have the order of the values.
 */
export function firstEffectiveKey([value]: readonly PartitionKeyValue[]): string {
  return hashBound(murmur32(hashed(value))) + hex(ordered(value))
}

/** Returns where the keys with this hash begin. */
export function hashBound(hash: number): string {
  return hex(orderedNumber(hash))
}

function hashed(value: PartitionKeyValue): Uint8Array {
  if (typeof value === 'string') {
    const text = Buffer.from(value.slice(0, hashedCharacters), 'utf8')
    return Buffer.concat([Buffer.of(tag.string), text, Buffer.of(0)])
  }
  if (typeof value !== 'number') return ordered(value)
  const bytes = Buffer.alloc(9)
  bytes[0] = tag.number
  bytes.writeDoubleLE(value, 1)
  return bytes
}

function ordered(value: PartitionKeyValue): Uint8Array {
  if (value === undefined) return Buffer.of(tag.undefined)
  if (value === null) return Buffer.of(tag.null)
  if (typeof value === 'boolean') return Buffer.of(value ? tag.true : tag.false)
  return typeof value === 'string' ? orderedText(value) : orderedNumber(value)
}

/** Adds 1 to each byte, so that the byte 0 can end the text. A long text is cut, and no byte 0 ends it. */
function orderedText(value: string): Uint8Array {
  const text = Buffer.from(value.slice(0, hashedCharacters), 'utf8')
  const isShort = text.length <= appendedBytes
  const kept = isShort ? text : text.subarray(0, appendedBytes + 1)
  return Buffer.concat([Buffer.of(tag.string), kept.map((byte) => byte + 1), Buffer.from(isShort ? [0] : [])])
}

/**
 * Writes the bits of a number: the highest byte, and then groups of 7 bits until only zeros are left. Each
 * group takes a byte, whose lowest bit says whether another group follows.
 */
function orderedNumber(value: number): Uint8Array {
  const bits = orderedBits(value)
  const bytes = [tag.number, Number(bits >> 56n)]
  let rest = BigInt.asUintN(64, bits << 8n)
  while (rest !== 0n) {
    const group = Number(rest >> 57n) << 1
    rest = BigInt.asUintN(64, rest << 7n)
    bytes.push(rest === 0n ? group : group | 1)
  }
  return Uint8Array.from(bytes)
}

/** Returns the bits of a double, changed so that their order is the order of the numbers. */
function orderedBits(value: number): bigint {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  const bits = bytes.readBigUInt64BE()
  return bits < signBit ? bits ^ signBit : BigInt.asUintN(64, ~bits + 1n)
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase()
}
