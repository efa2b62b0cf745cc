/** What an object, an array or a string takes beside its content, in bytes: measured on V8, 64 bits. */
const headBytes = 32
/** A property or an element; numbers are mostly stored in it. */
const slotBytes = 16

/** About how many bytes of memory a JSON value takes, without writing it out. Text counts one byte for each character. */
export function heapBytesOf(value: unknown): number {
  if (typeof value === 'string') return headBytes + value.length
  if (typeof value !== 'object' || value === null) return 0
  let bytes = headBytes
  if (Array.isArray(value)) {
    for (const item of value) bytes += slotBytes + heapBytesOf(item)
    return bytes
  }
  for (const own of Object.values(value)) bytes += slotBytes + heapBytesOf(own)
  return bytes
}
