/** Thrown in a state that the code excludes. The cause is always a bug, never a user's mistake. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

/** Throws {@link AssertionError} if `condition` is false. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/**
 * Marks a branch that no value can reach. The compiler proves that the branch is unreachable. At run time
 * this function guards against foreign data.
 */
export function assertNever(value: never): never {
  throw new AssertionError(`unexpected value ${JSON.stringify(value)}`)
}
