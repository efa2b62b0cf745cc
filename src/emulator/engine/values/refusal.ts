/**
 * The error of a refused operation, with the status and sub-status that Cosmos DB would return. The engine
 * throws no other error class, so any other error is a bug.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly status: number,
    message: string,
    /** Distinguishes refusals with the same status; 0 if the status is sufficient. */
    readonly substatus = 0,
    /** A text for programs, such as a query plan. It is in the body beside the message. */
    readonly additionalErrorInfo?: string,
  ) {
    super(message)
  }
}

export const substatus = {
  /** 400: the given partition key is not the one in the document. */
  partitionKeyMismatch: 1001,
  /** 400: the gateway cannot merge the rows of several ranges; the client must do this. */
  crossPartitionQueryNotServable: 1004,
  /** 400: the client addresses a container that was replaced by another with the same name. */
  containerRidMismatch: 1024,
  /** 404: the session token names a later LSN than the partition has. */
  readSessionNotAvailable: 1002,
  /** 410: the container has no partition key range with this id, or no longer has one. */
  partitionKeyRangeGone: 1002,
  /** 413: the requested documents do not fit into one answer. */
  answerTooLarge: 3402,
  /** 404: the container (or database) that owns the resource does not exist. */
  ownerNotFound: 1003,
} as const

export function badRequest(message: string, code = 0): Refusal {
  return new Refusal(400, message, code)
}

/**
 * Returns the refusal of a feature that the service has and this engine lacks.
 *
 * @param feature the subject of a sentence, such as "A stored procedure"
 * @param advice a sentence that says what to do instead
 */
export function notSupported(feature: string, advice = ''): Refusal {
  return new Refusal(501, `${feature} is not supported by the embedded Cosmos DB. ${advice}`.trimEnd())
}

export function notFound(what: string, code = 0): Refusal {
  return new Refusal(
    404,
    `Entity with the specified id does not exist in the system. ${what} does not exist; create it first.`,
    code,
  )
}

export function alreadyExists(what: string): Refusal {
  return new Refusal(
    409,
    `Entity with the specified id already exists in the system. ${what} exists; choose another id, or upsert.`,
  )
}

export function notUnique(id: string, holder: string): Refusal {
  return new Refusal(
    409,
    `Unique index constraint violation: the document '${id}' has the unique key values of ` +
      `'${holder}'. Change one of them.`,
  )
}

export function preconditionFailed(id: string, expected: string, actual: string): Refusal {
  return new Refusal(
    412,
    'Operation cannot be performed because one of the specified precondition is not met: the condition ' +
      `${expected} does not hold for '${id}', which has etag ${actual}. Read it, and decide again.`,
  )
}

export function tooLarge(what: string, bytes: number, limitBytes: number): Refusal {
  return new Refusal(
    413,
    `Request size is too large: ${what} has ${bytes} bytes; the limit is ${limitBytes}.`,
  )
}

export function rangeGone(rangeId: string): Refusal {
  return new Refusal(
    410,
    `PartitionKeyRange with id '${rangeId}' in this collection doesn't exist. Read the ranges again.`,
    substatus.partitionKeyRangeGone,
  )
}
