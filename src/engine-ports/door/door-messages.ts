import { RefusedLeaseError } from '../../../lease-store/index.js'
import type { ChangePage, FeedPosition } from '../../change-feed-processor/feed/change-feed.js'
import { Refusal } from '../../emulator/engine/values/refusal.js'
import { packageVersion } from '../../platform/internal.js'
import { StoreRefused, StoreUnavailable } from '../../sas/model/errors.js'

/**
 * The version of the messages below. The messages also contain leases and documents as this version of the package
 * knows them, so two processes use the door only if they have the same version of the package.
 */
const version = 6

export function doorProtocol(): string {
  return `stepward-door/${version}-${packageVersion()}`
}

/** The names that an attached process sends when it connects. */
export interface DoorNames {
  readonly database: string
  readonly container: string
  readonly leaseContainer: string
  /** The host name in the ids of leases. */
  readonly accountHost: string
}

/**
 * A request: its number, a method and the arguments. The store answers with `[number, value]`, or with `[number,
 * null, error]`. A request with the number 0 has no answer.
 */
export type DoorRequest = readonly [id: number, method: string, ...args: unknown[]]

/**
 * A message of the store that is not an answer:
 * - `container`: the resource id of the container, or null if there is none. The first message of a connection, and again when it changes
 * - `written`: the physical partitions that others have written, and the expected pages of the feed (`SentPage`)
 * - `ended`: the partition key, the document id and the document of an ended job
 * - `charged`: the operations of the answers, each with its request units and the part of the process, if the request
 *   named it with `as`
 * - `asked`: asks a process which work it takes
 * - `taken`: the number of a question, and the name of a scheduler that takes jobs, or null
 */
export type DoorPush = readonly [
  'container' | 'written' | 'ended' | 'charged' | 'asked' | 'taken',
  ...unknown[],
]

/** A page as the store sends it, with the position and the size that were expected. */
export type SentPage = readonly [from: FeedPosition, maxItemCount: number, page: ChangePage<unknown>]

/** Returns the feed range of a position as a key. A process expects at most one page of a range. */
export function rangeOf({ feedRange: { min, max } }: FeedPosition): string {
  return `${min}-${max}`
}

export function isRequest(message: unknown): message is DoorRequest {
  return Array.isArray(message) && Number.isSafeInteger(message[0]) && typeof message[1] === 'string'
}

/** An error as it is sent. */
interface SentError {
  readonly name: string
  readonly message: string
  readonly status?: number
  readonly substatus?: number
  readonly leaseToken?: string
  readonly cause?: SentError
}

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, cause } = error
  return {
    name,
    message,
    ...(error instanceof Refusal ? { status: error.status, substatus: error.substatus } : {}),
    ...(error instanceof RefusedLeaseError ? { leaseToken: error.leaseToken } : {}),
    ...(cause instanceof Error ? { cause: sentError(cause) } : {}),
  }
}

/** Returns the error that the method threw in the other process. */
export function receivedError(sent: SentError): Error {
  const { name, message, status = 500, substatus, leaseToken = '' } = sent
  const cause = sent.cause === undefined ? undefined : receivedError(sent.cause)
  switch (name) {
    case 'Refusal':
      return new Refusal(status, message, substatus)
    case 'RefusedLeaseError':
      return new RefusedLeaseError(leaseToken, message)
    case 'StoreRefused':
      return new StoreRefused(message, { cause })
    case 'StoreUnavailable':
      return new StoreUnavailable(message, { cause })
    default:
      return new Error(message, { cause })
  }
}
