/** The answer of a service: an HTTP status and a JSON body (none with 204). */
export interface Answer {
  readonly status: number
  readonly body?: Readonly<Record<string, unknown>>
}

/**
 * Thrown while a request is read, when it is invalid. Nothing was done, and the service remembers nothing.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly answer: Answer

  constructor(status: number, code: string, message: string) {
    super(message)
    this.answer = { status, body: { code, message } }
  }
}
