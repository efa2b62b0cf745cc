import type {
  ContainerRecord,
  DatabaseRecord,
  HistoryFloor,
  JournalContents,
  KeptDocument,
  NamedRecord,
  OfferRecord,
  PartitionRecord,
  PermissionRecord,
  VersionChange,
} from '../engine/index.js'
import { decodedHead } from './document-record.js'
import { changePrefix, documentNumber, documentPrefix, floorsKey, keyPrefix } from './journal-entries.js'

/** The values of all records in a store, without their checksums. The texts of documents stay on disk. */
export class StoredValues {
  private readonly byPrefix = new Map<string, string[]>()
  private readonly documents = new Map<string, KeptDocument[]>()

  /** Adds a value. Returns false for a document that this version cannot read. */
  add(key: string, value: Buffer): boolean {
    const prefix = keyPrefix(key)
    const number = documentNumber(key)
    if (number === null) {
      addTo(this.byPrefix, prefix, value.toString())
      return true
    }
    try {
      // The documents of a job were usually created together, so they are neighbours and share texts.
      addTo(this.documents, prefix, decodedHead(number, value, this.documents.get(prefix)?.at(-1)))
      return true
    } catch {
      return false
    }
  }

  /** Returns the documents whose keys have this prefix, in the order of their numbers. */
  documentsOf(prefix: string): readonly KeptDocument[] {
    return this.documents.get(prefix) ?? []
  }

  /** Returns the values whose keys have this prefix, in the order in which they were added. */
  of(prefix: string): readonly string[] {
    return this.byPrefix.get(prefix) ?? []
  }
}

function addTo<T>(lists: Map<string, T[]>, name: string, value: T): void {
  const list = lists.get(name)
  if (list === undefined) lists.set(name, [value])
  else list.push(value)
}

export function contentsOf(stored: StoredValues): JournalContents {
  const records = <T>(prefix: string): T[] => stored.of(prefix).map((text) => JSON.parse(text) as T)
  return {
    databases: records<DatabaseRecord>('database/'),
    containers: records<ContainerRecord>('container/'),
    partitions: records<PartitionRecord>('partition/'),
    offers: records<OfferRecord>('offer/'),
    users: records<NamedRecord>('user/'),
    permissions: records<PermissionRecord>('permission/'),
    documents: (rid) => stored.documentsOf(documentPrefix(rid)),
    history: (rid) => {
      const [floors] = records<readonly HistoryFloor[]>(floorsKey(rid))
      return floors && { floors, changes: records<VersionChange>(changePrefix(rid)) }
    },
  }
}
