import type * as Lmdb from 'lmdb'
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
} from '../engine/index.js'
import { DocumentTemplates } from './document-templates.js'
import {
  allHistories,
  allTemplates,
  changePrefix,
  floorsKey,
  prefixOf,
  rangeOf,
  templateIn,
  type Group,
} from './journal-entries.js'
import type { Logged } from './log-frames.js'
import { sealed, unsealed } from './record-checksum.js'

type Store = Pick<Lmdb.RootDatabase<string, string>, 'get' | 'getRange'>

/** Returns all records of a store and of the logs with its newest writes. Documents of the store stay on disk. */
export function contentsOf(store: Store, { group, documents }: Logged): JournalContents {
  const records = <T>(prefix: string): T[] =>
    recordsOf(store, group, prefix).map((text) => JSON.parse(text) as T)
  // There may be thousands of containers, and each looks for its own history.
  const histories = { ...group, entries: entriesOf(group, allHistories) }
  return {
    databases: records<DatabaseRecord>('database/'),
    containers: records<ContainerRecord>('container/'),
    partitions: records<PartitionRecord>('partition/'),
    offers: records<OfferRecord>('offer/'),
    users: records<NamedRecord>('user/'),
    permissions: records<PermissionRecord>('permission/'),
    history: (rid) => {
      const [floors] = recordsOf(store, histories, floorsKey(rid))
      if (floors === undefined) return undefined
      return {
        floors: JSON.parse(floors) as readonly HistoryFloor[],
        changes: recordsOf(store, histories, changePrefix(rid)).map(
          (text) => JSON.parse(text) as VersionChange,
        ),
      }
    },
    documents: documents.values(),
  }
}

function entriesOf({ entries }: Group, prefix: string): Group['entries'] {
  return new Map([...entries].filter(([key]) => key.startsWith(prefix)))
}

/** Returns the newest values of the keys with a prefix. */
function recordsOf(store: Store, { entries, cleared }: Group, prefix: string): string[] {
  const values = new Map<string, string>()
  for (const { key, value } of store.getRange(rangeOf(prefix))) {
    if (!cleared.has(prefixOf(key))) values.set(key, unsealed(value))
  }
  for (const [key, entry] of entries) {
    if (!key.startsWith(prefix)) continue
    if (typeof entry === 'string') values.set(key, entry)
    else values.delete(key)
  }
  return [...values.values()]
}

/** Returns the templates of all containers. */
export function templatesIn(store: Pick<Store, 'getRange'>): DocumentTemplates {
  const templates = new DocumentTemplates()
  for (const { key, value } of store.getRange(rangeOf(allTemplates))) {
    const { containerRid, number } = templateIn(key)
    const record = unsealed(value)
    templates.add(containerRid, number, sealed(key, record) === value ? record : null)
  }
  return templates
}
