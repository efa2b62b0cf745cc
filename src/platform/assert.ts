/** Thrown in a state that must never occur. The cause is always a bug, never a user's mistake. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/**
 * Marks a branch that the compiler proves unreachable. At run time, guards against data that does not match
 * its type.
 */
export function assertNever(value: never): never {
  throw new AssertionError(`unexpected value ${JSON.stringify(value)}`)
}
