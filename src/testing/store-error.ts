/** Returns an error with the fields of an error that the SDK throws. */
export function storeError(code: number | string, fields: Readonly<Record<string, unknown>> = {}): Error {
  return Object.assign(new Error(`status ${code}`), { code, ...fields })
}
