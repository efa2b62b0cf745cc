import type * as Lmdb from 'lmdb'
import { contains, type ContainerRecord, type PartitionRecord } from '../engine/index.js'
import { decodedHead, type DocumentHead } from './document-record.js'
import { FindingEntries } from './finding-entries.js'
import { bufferOf, totalOf } from './group-writer.js'
import { documentPrefix, lifetimeIn, numberIn, partitionPrefix, rangeOf } from './journal-entries.js'
import { sealed, sealOf, unsealed, unsealedBytes } from './record-checksum.js'
import { totalKey } from './store-check.js'

type Store = Lmdb.RootDatabase<string, string>

/** The first format with records that find documents. */
export const formatThatFinds = 4

/** The number of documents whose entries are gathered before they are written. */
const documentsAtATime = 10_000

interface Counted extends PartitionRecord {
  count: number
  bytes: number
}

/**
 * Adds to a store of format 2 or 3 what format 4 has in addition: the records that find documents, and the
 * number and bytes of the documents of each partition. Must run in a transaction.
 */
export function addFindingEntries(store: Store): void {
  const containers = Array.from(
    store.getRange(rangeOf('container/')),
    ({ value }) => JSON.parse(unsealed(value)) as ContainerRecord,
  )
  const total = totalOf(store)
  const put = (key: string, text: string | null): void => {
    const before = store.get(key)
    if (before !== undefined) total.remove(sealOf(before))
    if (text === null) return
    const value = sealed(key, text)
    total.add(sealOf(value))
    store.putSync(key, value)
  }
  for (const container of containers) addTo(store, container, put)
  store.putSync(totalKey, sealed(totalKey, total.text))
}

function addTo(
  store: Store,
  container: ContainerRecord,
  put: (key: string, text: string | null) => void,
): void {
  const { rid } = container
  const lifetime = lifetimeIn(container)
  const partitions = Array.from(store.getRange(rangeOf(partitionPrefix(rid))), ({ key, value }) => {
    const record = JSON.parse(unsealed(value)) as PartitionRecord
    return [key, { ...record, count: 0, bytes: 0 } satisfies Counted] as const
  })
  const keys = [...store.getKeys(rangeOf(documentPrefix(rid)))]
  for (let from = 0; from < keys.length; from += documentsAtATime) {
    const finding = new FindingEntries((key) => {
      const text = store.get(key)
      return text === undefined ? undefined : unsealed(text)
    })
    for (const key of keys.slice(from, from + documentsAtATime)) {
      const head = headAt(store, key)
      if (head === null) continue
      finding.change(rid, null, head, { before: null, after: lifetime })
      const own = partitions.find(([, record]) => contains(record, head.epk))?.[1]
      if (own === undefined) continue
      own.count += 1
      own.bytes += head.bytes
    }
    for (const [key, text] of finding.changed) put(key, text)
  }
  for (const [key, record] of partitions) put(key, JSON.stringify(record))
}

function headAt(store: Store, key: string): DocumentHead | null {
  const value = store.getBinaryFast(key)
  return value === undefined ? null : decodedHead(numberIn(key), unsealedBytes(bufferOf(value)))
}
