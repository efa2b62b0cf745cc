/** The headers of an answer in the form that the SDK of Cosmos DB reads. Names are in lower case. */
export class AnswerHeaders extends Map<string, string> {
  override get(name: string): string | undefined {
    return super.get(name.toLowerCase())
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase())
  }

  override set(name: string, value: string | number | boolean): this {
    return super.set(name.toLowerCase(), String(value))
  }

  override delete(name: string): boolean {
    return super.delete(name.toLowerCase())
  }

  toJSON(): Record<string, string> {
    return Object.fromEntries(this)
  }
}

/** Returns the error by which the SDK knows that its caller, or its time limit, has aborted a request. */
export function abortError(): Error {
  const error = new Error('The operation was aborted.')
  error.name = 'AbortError'
  return error
}
