import type { Change } from '../../change-feed-processor/feed/change-feed.js'
import type { DocumentVersion } from '../../emulator/engine/values/document-version.js'
import { mayBeNamed, WrittenChange, type WrittenDocument } from '../../sas/model/delivered/written-change.js'
import type { ApplyResult, StateWrite } from '../../sas/store/state-store.js'
import { Undelivered } from '../undelivered.js'

/** A change that the reader of the page has written, as it is sent: the address of the document and its marks. */
export type OwnChange = readonly [pk: string, id: string, rid: string, etag: string, ts: number, lsn: number]

/** Returns the text for a change that the reader of a page has written itself. */
export function ownChangeText({ home, id, feedMarks: { _rid, _etag, _ts, _lsn } }: DocumentVersion): string {
  const [pk] = JSON.parse(home.keyText) as [string]
  const change: OwnChange = [pk, id, _rid, _etag, _ts, _lsn]
  return JSON.stringify(change)
}

/** The jobs and steps that this process has written through the door, until the feed names them. */
export class OwnWrites {
  // The page that names a version may come with the answer to the next write of the same document.
  private readonly undelivered = new Undelivered<WrittenDocument>(2)

  /** Keeps what is written from now on, because the process has begun to read. */
  begin(): void {
    this.undelivered.begin()
  }

  /** @param bytes the size of all these writes as JSON */
  note(writes: readonly StateWrite[], result: ApplyResult, bytes: number): void {
    if (result.kind !== 'applied') return
    for (const [index, { document }] of writes.entries()) {
      const etag = result.etags[index]
      if (etag === undefined || !mayBeNamed(document)) continue
      const each = { etag, value: document, bytes: bytes / writes.length }
      this.undelivered.put(keyOf(document.pk, document.id), each)
    }
  }

  /** Returns the changes of a page with their documents, or null if one of them is not kept. */
  documentsOf(changes: readonly (Change | OwnChange)[]): readonly Change[] | null {
    const found: Change[] = []
    for (const change of changes) {
      if (isOwn(change)) {
        const [pk, id, _rid, _etag, _ts, _lsn] = change
        const document = this.undelivered.take(keyOf(pk, id), _etag)
        if (document === undefined) return null
        found.push(new WrittenChange(document, { _rid, _etag, _ts, _lsn }))
      } else {
        // The store has sent the text, so it does not name this version or an earlier one any more.
        if (typeof change['pk'] === 'string')
          this.undelivered.take(keyOf(change['pk'], change.id), change._etag)
        found.push(change)
      }
    }
    return found
  }

  /** Forgets all documents, because the store names only what was written through the same connection. */
  clear(): void {
    this.undelivered.clear()
  }
}

function isOwn(change: Change | OwnChange): change is OwnChange {
  return Array.isArray(change)
}

function keyOf(pk: string, id: string): string {
  return `${pk}\n${id}`
}
