/** Computes MurmurHash3 (32 bits, seed 0) as an unsigned integer. */
export function murmur32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const blocks = Math.floor(bytes.length / 4)
  let hash = 0
  for (let block = 0; block < blocks; block += 1) {
    hash ^= mixed(view.getInt32(block * 4, true))
    hash = (Math.imul(rotateLeft(hash, 13), 5) + 0xe6546b64) | 0
  }
  const tail = bytes.subarray(blocks * 4)
  hash ^= mixed(tail.reduceRight((word, byte) => (word << 8) | byte, 0))
  return avalanche(hash ^ bytes.length) >>> 0
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function mixed(word: number): number {
  return Math.imul(rotateLeft(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593)
}

function avalanche(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
