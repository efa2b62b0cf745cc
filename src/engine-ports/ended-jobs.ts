import type { Container, DocumentFollower, DocumentVersion } from '../emulator/engine/index.js'
import { decodeDocument } from '../sas/model/decode.js'
import type { JobDocument } from '../sas/model/documents.js'
import { isTerminal } from '../sas/model/process-state.js'
import type { DocumentAddress } from '../sas/store/state-store.js'

/** Receives the JSON text of the document of a job that has ended. The text may not be durable yet. */
export type OnEnded = (text: string) => void

/** Only the document of an ended job contains this. Other documents may contain it, too. */
const sign = /"endedAtMs":\d/u

/**
 * The jobs of a container for whose ends callers wait. Follows the documents of the container, so that the end of
 * a job is known without reading the feed. After a split or merge, the waiting callers hear nothing more. They
 * read the job from time to time, as they must anyway.
 */
export class EndedJobs implements DocumentFollower {
  private readonly listeners = new Map<string, Set<OnEnded>>()

  private constructor(private readonly container: Container) {}

  static of(container: Container): EndedJobs {
    const { followers } = container.indexes
    const known = followers.find((follower) => follower instanceof EndedJobs)
    if (known !== undefined) return known
    const created = new EndedJobs(container)
    followers.push(created)
    return created
  }

  /** Calls `onEnded` when the job ends, or at once if it has ended. Returns a function that ends this. */
  subscribe({ pk, id }: DocumentAddress, onEnded: OnEnded): () => void {
    const key = keyOf(this.container.locate([pk]).keyText, id)
    const listeners = this.listeners.get(key) ?? new Set()
    this.listeners.set(key, listeners.add(onEnded))
    const version = this.container.find([pk], id)
    if (version !== undefined) tell(version, [onEnded])
    return () => {
      listeners.delete(onEnded)
      if (listeners.size === 0) this.listeners.delete(key)
    }
  }

  added(version: DocumentVersion): void {
    if (this.listeners.size === 0) return
    const listeners = this.listeners.get(keyOf(version.keyText, version.id))
    if (listeners !== undefined) tell(version, listeners)
  }

  removed(): void {
    // A deleted job did not end.
  }
}

function keyOf(keyText: string, id: string): string {
  return `${keyText}\n${id}`
}

function tell(version: DocumentVersion, listeners: Iterable<OnEnded>): void {
  if (!sign.test(version.ownText)) return
  if (endedJobIn(version.given ?? version.seen) === null) return
  const text = version.seenText
  for (const listener of listeners) listener(text)
}

/** Returns the ended job that this document is, or null. */
export function endedJobIn(document: Readonly<Record<string, unknown>>): JobDocument | null {
  const decoded = decodeDocument(document)
  return decoded.kind === 'job' && isTerminal(decoded.job) ? decoded.job : null
}
