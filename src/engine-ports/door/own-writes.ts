import type { Change } from '../../change-feed-processor/feed/change-feed.js'
import type { DocumentVersion } from '../../emulator/engine/values/document-version.js'
import { isJobOrStep, WrittenChange, type WrittenDocument } from '../../sas/model/delivered/written-change.js'
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

/** The bytes of JSON that a request unit pays for, in a write. The size of what was written follows from its charge. */
const bytesPerUnit = 150

/** The jobs and steps that this process has written through the door, until the feed names them. */
export class OwnWrites {
  private readonly undelivered = new Undelivered<string, WrittenDocument>()

  /** Keeps what is written from now on, because the process has begun to read. */
  begin(): void {
    this.undelivered.begin()
  }

  note(writes: readonly StateWrite[], result: ApplyResult): void {
    if (result.kind !== 'applied') return
    const bytes = (result.charge * bytesPerUnit) / writes.length
    for (const [index, { document }] of writes.entries()) {
      const version = result.etags[index]
      if (version === undefined || !isJobOrStep(document)) continue
      this.undelivered.put(keyOf(document.pk, document.id), { version, value: document, bytes })
    }
  }

  /** Returns the changes of a page with their documents, or null if one of them is not kept. */
  documentsOf(changes: readonly (Change | OwnChange)[]): readonly Change[] | null {
    const found: Change[] = []
    for (const change of changes) {
      if (!isOwn(change)) {
        found.push(change)
        continue
      }
      const [pk, id, _rid, _etag, _ts, _lsn] = change
      const document = this.undelivered.take(keyOf(pk, id), _etag)
      if (document === undefined) return null
      found.push(new WrittenChange(document, { _rid, _etag, _ts, _lsn }))
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
