/** Returns an error as the SDK throws it. */
export function storeError(code: number | string, fields: Readonly<Record<string, unknown>> = {}): Error {
  return Object.assign(new Error(`status ${code}`), { code, ...fields })
}
