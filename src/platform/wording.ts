/** Returns a count with its noun, such as `1 job` or `2,000 jobs`. The default plural ends in `s`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`
}

/** Returns the message of an error, or any other thrown value as a string. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
