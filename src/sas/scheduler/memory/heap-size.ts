/** The bytes that an object, an array or a string needs in addition to its content, measured on 64-bit V8. */
const headBytes = 32
/** The bytes for a property or an element. Most numbers need no further bytes. */
const slotBytes = 16

/** Estimates the memory of a JSON value in bytes. A string counts one byte per character. */
export function heapBytesOf(value: unknown): number {
  if (typeof value === 'string') return headBytes + value.length
  if (typeof value !== 'object' || value === null) return 0
  let bytes = headBytes
  if (Array.isArray(value)) {
    for (const item of value) bytes += slotBytes + heapBytesOf(item)
    return bytes
  }
  // Makes no list of the names. A JSON value inherits none.
  for (const name in value) {
    bytes += slotBytes + heapBytesOf((value as Readonly<Record<string, unknown>>)[name])
  }
  return bytes
}
