import type { Container } from '@azure/cosmos'
import { identityOf, type AnyChange } from '../feed/change-identity.js'
import type { DeadLetter } from '../feed/delegate.js'
import type { DeadLetterContainer } from '../feed/cosmos-ports.js'

/** An error's text is cut to this number of characters, so that the text cannot make a document too large. */
const longestText = 10_000

interface DeadLetterDocument {
  readonly id: string
  readonly leaseToken: string
  readonly documentId: string
  /** The change as delivered, or null if the change is too large to be stored inside another document. */
  readonly change: AnyChange | null
  readonly error: { readonly name: string; readonly message: string; readonly stack: string | null }
}

/**
 * Stores failed changes as documents of a container with any partition key. The id is derived from the
 * change, so a change that is stored again after a crash still has only one document (F-C16).
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

/** Returns an id of a permitted length, without the characters that are forbidden in ids. */
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
