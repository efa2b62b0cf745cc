/** The answer of a service: an HTTP status and a JSON body. Status 204 has no body. */
export interface Answer {
  readonly status: number
  readonly body?: Readonly<Record<string, unknown>>
}

/** Thrown if a request is invalid. The service has done nothing and does not remember the request. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly answer: Answer

  constructor(status: number, code: string, message: string) {
    super(message)
    this.answer = { status, body: { code, message } }
  }
}
