/** What a service says to a request: an HTTP status and a JSON body (none with 204). */
export interface Answer {
  readonly status: number
  readonly body?: Readonly<Record<string, unknown>>
}

/** Thrown while a request is being read, when it cannot be understood: nothing was done, and nothing is remembered. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly answer: Answer

  constructor(status: number, code: string, message: string) {
    super(message)
    this.answer = { status, body: { code, message } }
  }
}
