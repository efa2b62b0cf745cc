import type { DocumentVersion } from '../emulator/engine/index.js'
import { mayBeNamed, type WrittenDocument } from '../sas/model/delivered/written-change.js'
import { Undelivered } from './undelivered.js'

/**
 * The versions of jobs and steps that the process of some ports has written and has not read in its feed yet. The feed
 * delivers their documents without parsing them.
 */
export class WrittenVersions {
  // The feed reads the newest version in the moment in which it is written, so one version of a document is enough.
  private readonly undelivered = new Undelivered<WrittenDocument | null>(1)

  /** @param keepsDocuments false if the documents are kept in another process */
  constructor(private readonly keepsDocuments: boolean) {}

  /** Keeps the versions that are written from now on, because the process has begun to read. */
  begin(): void {
    this.undelivered.begin()
  }

  put(version: DocumentVersion, document: WrittenDocument): void {
    if (!mayBeNamed(document)) return
    const { etag, bytes } = version
    this.undelivered.put(keyOf(version), { etag, value: this.keepsDocuments ? document : null, bytes })
  }

  /** Returns the document, or null if another process has it. Returns undefined if the version is not known. */
  take(version: DocumentVersion): WrittenDocument | null | undefined {
    return this.undelivered.take(keyOf(version), version.etag)
  }
}

function keyOf({ keyText, id }: DocumentVersion): string {
  return `${keyText}\n${id}`
}
