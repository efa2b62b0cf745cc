/** Thrown in a state that the code excludes: a bug, never a user's mistake. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

/** Throws {@link AssertionError} unless `condition` holds. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/**
 * Marks a branch that no value can reach. The compiler proves it; at run time this guards against foreign
 * data.
 */
export function assertNever(value: never): never {
  throw new AssertionError(`unexpected value ${JSON.stringify(value)}`)
}
