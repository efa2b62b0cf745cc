/**
 * A part of the text. The positions are in characters from the beginning, and `end` is the first position
 * after the part.
 */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * An invalid or unsupported query. The message has the service's own form, a JSON text with severity,
 * location, code and message, because the SDKs parse it.
 */
export class QueryError extends Error {
  override readonly name = 'QueryError'

  constructor(
    /**
     * The service's code, such as SC1001 (syntax), SC2001 (unknown identifier), SC2005 (unknown function) or
     * SC2050 (wrong number of arguments).
     */
    readonly code: string,
    /** The reason, without the JSON around it. */
    readonly reason: string,
    readonly location: Span,
  ) {
    super(JSON.stringify({ errors: [{ severity: 'Error', location, code, message: reason }] }))
  }

  get status(): 400 | 501 {
    return this.code === 'NotSupported' ? 501 : 400
  }
}

/** Returns the error for a construct that the service has and this engine lacks. */
export function notSupported(construct: string, location: Span): QueryError {
  return new QueryError('NotSupported', `${construct} is not supported by the embedded Cosmos DB.`, location)
}
