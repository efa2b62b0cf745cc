import type { Container } from '@azure/cosmos'
import { identityOf, type AnyChange } from '../feed/change-identity.js'
import type { DeadLetter } from '../feed/delegate.js'
import type { DeadLetterContainer } from '../feed/cosmos-ports.js'

/** The most that is kept of an error's words, so that they alone can never make a document too large. */
const longestText = 10_000

/** What a dead-letter container keeps of a change. */
interface DeadLetterDocument {
  readonly id: string
  readonly leaseToken: string
  readonly documentId: string
  /** The change as it was delivered; null if it is too large to be kept inside another document. */
  readonly change: AnyChange | null
  readonly error: { readonly name: string; readonly message: string; readonly stack: string | null }
}

/**
 * Keeps changes as documents of a container, of any partition key. The id follows from the change, so one that is kept
 * twice, after a crash in between, is there once (F-C16).
 */
export function cosmosDeadLetter(container: DeadLetterContainer): DeadLetter<AnyChange> {
  return async (change, error, { leaseToken }) => {
    const { id, version } = identityOf(change)
    const document: DeadLetterDocument = {
      id: deadLetterId(leaseToken, version, id),
      leaseToken,
      documentId: id,
      change,
      error: errorOf(error.cause),
    }
    try {
      await create(container, document)
    } catch (cause) {
      if (statusOf(cause) !== 413) throw cause
      await create(container, { ...document, change: null })
    }
  }
}

/** Within the length of an id, and without what an id must not contain. */
function deadLetterId(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join('~').slice(0, 1_000)
}

async function create(container: Container, document: DeadLetterDocument): Promise<void> {
  try {
    await container.items.create(document)
  } catch (cause) {
    if (statusOf(cause) !== 409) throw cause
  }
}

function errorOf(thrown: unknown): DeadLetterDocument['error'] {
  if (!(thrown instanceof Error))
    return { name: 'Error', message: String(thrown).slice(0, longestText), stack: null }
  const { name, message, stack } = thrown
  return { name, message: message.slice(0, longestText), stack: stack?.slice(0, longestText) ?? null }
}

function statusOf(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
}
