/** Returns the message of an error, or any other thrown value as a string. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
