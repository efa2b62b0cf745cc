/** Computes MurmurHash3 (128 bits, 64-bit variant, seed 0). Returns the two halves as unsigned integers. */
export function murmur3(bytes: Uint8Array): readonly [bigint, bigint] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let h1 = 0n
  let h2 = 0n
  const blocks = Math.floor(bytes.length / 16)
  for (let block = 0; block < blocks; block += 1) {
    h1 ^= mixFirst(view.getBigUint64(block * 16, true))
    h1 = wrap((rotateLeft(h1, 27n) + h2) * 5n + 0x52dce729n)
    h2 ^= mixSecond(view.getBigUint64(block * 16 + 8, true))
    h2 = wrap((rotateLeft(h2, 31n) + h1) * 5n + 0x38495ab5n)
  }
  const tail = bytes.subarray(blocks * 16)
  h2 ^= mixSecond(littleEndian(tail.subarray(8)))
  h1 ^= mixFirst(littleEndian(tail.subarray(0, 8)))
  return finish(h1, h2, BigInt(bytes.length))
}

const firstFactor = 0x87c37b91114253d5n
const secondFactor = 0x4cf5ad432745937fn

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value)
}

function rotateLeft(value: bigint, bits: bigint): bigint {
  return wrap(value << bits) | (value >> (64n - bits))
}

function mixFirst(word: bigint): bigint {
  return wrap(rotateLeft(wrap(word * firstFactor), 31n) * secondFactor)
}

function mixSecond(word: bigint): bigint {
  return wrap(rotateLeft(wrap(word * secondFactor), 33n) * firstFactor)
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
}

function finish(h1: bigint, h2: bigint, length: bigint): readonly [bigint, bigint] {
  let first = wrap((h1 ^ length) + (h2 ^ length))
  let second = wrap((h2 ^ length) + first)
  first = avalanche(first)
  second = avalanche(second)
  first = wrap(first + second)
  second = wrap(second + first)
  return [first, second]
}

function avalanche(value: bigint): bigint {
  let mixed = value ^ (value >> 33n)
  mixed = wrap(mixed * 0xff51afd7ed558ccdn)
  mixed ^= mixed >> 33n
  mixed = wrap(mixed * 0xc4ceb9fe1a85ec53n)
  return mixed ^ (mixed >> 33n)
}
