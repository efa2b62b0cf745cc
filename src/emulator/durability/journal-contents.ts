import type {
  ContainerRecord,
  DatabaseRecord,
  HistoryFloor,
  JournalContents,
  NamedRecord,
  OfferRecord,
  PartitionRecord,
  PermissionRecord,
  VersionChange,
  VersionFields,
} from '../engine/index.js'
import { changePrefix, documentPrefix, floorsKey, keyPrefix } from './journal-entries.js'

/** The values of all records in a store, without their checksums. */
export class StoredValues {
  private readonly byPrefix = new Map<string, string[]>()

  add(key: string, value: string): void {
    const prefix = keyPrefix(key)
    const values = this.byPrefix.get(prefix)
    if (values === undefined) this.byPrefix.set(prefix, [value])
    else values.push(value)
  }

  /** Returns the values whose keys have this prefix, in the order in which they were added. */
  of(prefix: string): readonly string[] {
    return this.byPrefix.get(prefix) ?? []
  }
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
    documents: (rid) => stored.of(documentPrefix(rid)).map(decodedVersion),
    history: (rid) => {
      const [floors] = records<readonly HistoryFloor[]>(floorsKey(rid))
      return floors && { floors, changes: records<VersionChange>(changePrefix(rid)) }
    },
  }
}

function decodedVersion(value: string): VersionFields {
  const end = value.indexOf('\n')
  // Adds the text to the parsed object, because copying many objects would make the start slow.
  const fields = JSON.parse(value.slice(0, end)) as {
    -readonly [Name in keyof VersionFields]: VersionFields[Name]
  }
  fields.text = value.slice(end + 1)
  return fields
}
