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
import { allTemplates, changePrefix, floorsKey, rangeOf, templateIn } from './journal-entries.js'
import { sealed, unsealed } from './record-checksum.js'

type Store = Pick<Lmdb.RootDatabase<string, string>, 'get' | 'getRange'>

/** Returns all records of a store but the documents, which stay on disk. */
export function contentsOf(store: Store): JournalContents {
  const records = <T>(prefix: string): T[] =>
    Array.from(store.getRange(rangeOf(prefix)), ({ value }) => JSON.parse(unsealed(value)) as T)
  return {
    databases: records<DatabaseRecord>('database/'),
    containers: records<ContainerRecord>('container/'),
    partitions: records<PartitionRecord>('partition/'),
    offers: records<OfferRecord>('offer/'),
    users: records<NamedRecord>('user/'),
    permissions: records<PermissionRecord>('permission/'),
    history: (rid) => {
      const floors = store.get(floorsKey(rid))
      if (floors === undefined) return undefined
      return {
        floors: JSON.parse(unsealed(floors)) as readonly HistoryFloor[],
        changes: records<VersionChange>(changePrefix(rid)),
      }
    },
  }
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
