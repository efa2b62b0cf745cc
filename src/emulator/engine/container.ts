import type { ChangeHistory } from './changes/change-history.js'
import { historyOf, redefinedHistory } from './changes/redefined-history.js'
import { containerResource, type ContainerBirth } from './container-birth.js'
import { assertRedefinable, type ContainerDefinition } from './definition/container-definition.js'
import type { ColdDocuments, ColdOwner } from './cold/cold-documents.js'
import type { DocumentVersion } from './values/document-version.js'
import type { TextMemory } from './values/text-memory.js'
import { DocumentIndexes } from './document-indexes.js'
import { KeyHashes } from './partitions/key-hashes.js'
import { keySpaceOf, type KeySpace } from './partitions/key-space.js'
import { nextEtag } from './values/etag.js'
import { expiresAt } from './expiry/expiry-queue.js'
import { Purge } from './expiry/purge.js'
import { recover } from './recovered-documents.js'
import {
  documentRecord,
  partitionRecord,
  removalRecord,
  type Journal,
  type JournalRecord,
} from './changes/journal.js'
import type { JsonObject } from './values/json.js'
import { contains, intersection, type KeyRange } from './partitions/key-ranges.js'
import { totalCharge } from './values/charges.js'
import { limits } from './values/limits.js'
import { merge, split } from './partitions/split-and-merge.js'
import type { BatchResult, ItemOperation, OperationResult } from './values/operations.js'
import type { PartitionKey } from './partitions/partition-key.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'
import { badRequest, rangeGone, Refusal } from './values/refusal.js'
import { documentNumber } from './values/resource-id.js'
import { Transaction, type KeyPlace, type TransactionTarget } from './transaction.js'
import { expiryOf } from './changes/version-change.js'
import type { WriteWatch } from './write-watch.js'

/** The largest number of expired documents that one access drops, so that no access takes long. */
const purgedPerAccess = 256

/** A container: its settings, and its documents, which are spread over physical partitions. */
export class Container implements TransactionTarget, ColdOwner {
  readonly rid: string
  readonly databaseRid: string
  /** The path by names, such as `dbs/d/colls/c`. */
  readonly link: string
  /** The path by rids, with a trailing slash. */
  readonly self: string
  readonly journal: Journal
  readonly now: () => number
  readonly keySpace: KeySpace
  readonly memory: TextMemory | null
  definition: ContainerDefinition
  etag: string
  ts: number
  lastDocumentNumber: number
  indexes: DocumentIndexes
  /** The history of every change within the retention, or null if the policy asks for no history. */
  history: ChangeHistory | null
  /** The partitions, ordered by range. Together they cover the key space. */
  partitions: readonly PhysicalPartition[]
  private readonly writes: WriteWatch
  private readonly hashes: KeyHashes
  /** Null if all documents are in memory. */
  readonly cold: ColdDocuments | null
  private readonly purge: Purge

  constructor(birth: ContainerBirth) {
    this.rid = birth.rid
    this.databaseRid = birth.databaseRid
    this.link = `dbs/${birth.databaseId}/colls/${birth.definition.id}`
    this.self = `dbs/${birth.databaseRid}/colls/${birth.rid}/`
    this.definition = birth.definition
    this.keySpace = keySpaceOf(birth.definition.partitionKey)
    this.hashes = new KeyHashes(this.keySpace)
    this.etag = birth.etag
    this.ts = birth.ts
    this.partitions = birth.partitions
    this.lastDocumentNumber = birth.lastDocumentNumber
    this.journal = birth.journal
    this.now = birth.now
    this.writes = birth.writes
    this.memory = birth.memory
    this.cold = birth.cold
    recover(birth.recovered ?? [], this)
    this.purge = new Purge(this, this.cold)
    this.indexes = new DocumentIndexes(this.definition, this.partitions)
    this.history = historyOf(this, birth.history)
  }

  get id(): string {
    return this.definition.id
  }

  /** In seconds since the epoch. */
  get seconds(): number {
    return Math.floor(this.now() / 1000)
  }

  get documentCount(): number {
    return this.partitions.reduce((count, partition) => count + partition.documents.size, 0)
  }

  /** The size of all documents, as JSON. */
  get documentBytes(): number {
    return this.partitions.reduce((bytes, { held }) => bytes + held.bytes, 0)
  }

  /** Yields the documents after a number that are not in memory, from all partitions. */
  coldAfter(number: number): Generator<DocumentVersion, void, undefined> | null {
    return this.cold?.after(number) ?? null
  }

  partitionOf(epk: string): PhysicalPartition {
    const found = this.partitions.find((partition) => contains(partition.range, epk))
    if (found === undefined) throw new RangeError(`no physical partition holds the key ${epk}`)
    return found
  }

  locate(key: PartitionKey): KeyPlace {
    const { keyText, epk } = this.hashes.of(key)
    return { keyText, epk, partition: this.partitionOf(epk) }
  }

  find(key: PartitionKey, id: string): DocumentVersion | undefined {
    const { keyText, partition } = this.locate(key)
    return this.visible(partition.find(keyText, id))
  }

  idOf(rid: string): string | undefined {
    const number = documentNumber(this.rid, rid)
    return number === null ? undefined : this.numbered(number)?.id
  }

  /** Returns the document with this number. It may have expired. */
  numbered(number: number): DocumentVersion | undefined {
    for (const partition of this.partitions) {
      const found = partition.hotNumbered(number)
      if (found !== undefined) return found
    }
    return this.cold?.read(number)
  }

  /** Returns the partition with this range id. Refuses an id that no current partition has. */
  partitionById(rangeId: string): PhysicalPartition {
    const found = this.partitions.find((partition) => partition.id === rangeId)
    if (found === undefined) throw rangeGone(rangeId)
    return found
  }

  partitionsIn(range: KeyRange): readonly PhysicalPartition[] {
    return this.partitions.filter((partition) => intersection(partition.range, range) !== null)
  }

  visible(version: DocumentVersion | undefined): DocumentVersion | undefined {
    return version === undefined || this.isExpired(version) ? undefined : version
  }

  /** Whether there may be documents whose time to live is over. */
  get hasExpired(): boolean {
    return this.purge.mayHaveExpired
  }

  isExpired(version: DocumentVersion): boolean {
    const second = expiresAt(version, this.definition.defaultTtl)
    return second !== null && second <= this.seconds
  }

  /** Applies one operation on one document. Throws a `Refusal` if that is not possible. */
  execute(key: PartitionKey, operation: ItemOperation): OperationResult {
    this.purgeExpired()
    const transaction = new Transaction(this, key)
    const result = transaction.execute(operation)
    transaction.commit()
    if (operation.kind !== 'read') this.writes.notify(this.rid, transaction.partition.id)
    return result
  }

  /** Applies 1 to 100 operations on one partition key: all of them, visible together, or none. */
  batch(key: PartitionKey, operations: readonly ItemOperation[]): BatchResult {
    if (operations.length === 0 || operations.length > limits.batchOperations) {
      throw badRequest(
        `A batch has ${operations.length} operations; it must have 1 to ${limits.batchOperations}.`,
      )
    }
    this.purgeExpired()
    const transaction = new Transaction(this, key)
    const results: OperationResult[] = []
    for (const operation of operations) {
      try {
        results.push(transaction.execute(operation))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { kind: 'rolledBack', failedAt: results.length, refusal: error, charge: totalCharge(results) }
      }
    }
    transaction.commit()
    this.writes.notify(this.rid, transaction.partition.id)
    return { kind: 'committed', results, charge: totalCharge(results) }
  }

  /** Changes the settings. Refuses a change of a fixed setting, such as the partition key. */
  redefine(definition: ContainerDefinition): void {
    assertRedefinable(this.definition, definition)
    this.definition = definition
    this.indexes = new DocumentIndexes(this.definition, this.partitions, this.indexes)
    this.purge.again()
    this.ts = this.seconds
    this.etag = nextEtag(this.etag, this.ts)
    const { history, records } = redefinedHistory(this)
    this.history = history
    this.journal.append([this.record(), ...records])
  }

  /** Splits a physical partition. A position in its feed stays valid in the feeds of both children. */
  splitPartition(rangeId: string): readonly PhysicalPartition[] {
    const parent = this.partitionById(rangeId)
    const children = split(parent, this.lastRangeId, this.keySpace)
    this.repartition([parent], children, [])
    return children
  }

  /** Merges two neighbouring physical partitions into one. See `merge`. */
  mergePartitions([one, other]: readonly [string, string]): PhysicalPartition {
    const parents = [this.partitionById(one), this.partitionById(other)] as const
    const { child, moved } = merge(parents, String(this.lastRangeId + 1))
    this.repartition(parents, [child], moved)
    return child
  }

  resource(): JsonObject {
    return containerResource(this)
  }

  record(): JournalRecord {
    const { rid, databaseRid, definition, etag, ts } = this
    return { kind: 'container', rid, value: { rid, databaseRid, definition: definition.body, etag, ts } }
  }

  /** Returns the largest range id so far. A current partition has this id, because children get larger ids. */
  private get lastRangeId(): number {
    return Math.max(...this.partitions.map((partition) => Number(partition.id)))
  }

  private repartition(
    parents: readonly PhysicalPartition[],
    children: readonly PhysicalPartition[],
    moved: readonly DocumentVersion[],
  ): void {
    const others = this.partitions.filter((partition) => !parents.includes(partition))
    this.partitions = [...others, ...children].sort((left, right) =>
      left.range.min < right.range.min ? -1 : 1,
    )
    // The indexes hold versions, and a merge replaces versions whose place changes.
    this.indexes = new DocumentIndexes(this.definition, this.partitions, this.indexes)
    this.indexes.moved(moved)
    const { rid: containerRid } = this
    this.journal.append([
      ...parents.map(({ id }): JournalRecord => ({ kind: 'partition', containerRid, id, value: null })),
      ...children.map((child) => partitionRecord(this, child)),
      ...moved.map((version) => documentRecord(containerRid, version)),
    ])
  }

  /** Takes up a version that was read from disk. */
  admitted(version: DocumentVersion): void {
    this.indexes.admit(version)
  }

  evict(version: DocumentVersion): void {
    this.partitionOf(version.epk).evict(version)
    this.indexes.evict(version)
  }

  removed(partition: PhysicalPartition, version: DocumentVersion): JournalRecord {
    partition.remove(version)
    return removalRecord(this.rid, version.number, () => this.cold?.removalStored(version.number))
  }

  /**
   * Drops expired documents, and lets those leave memory that it need not keep. Must not run while documents
   * are being read, because it removes entries.
   */
  purgeExpired(most = purgedPerAccess): void {
    this.memory?.trim()
    this.purge.run(most)
  }

  /** Drops one document. If the container keeps a history, this is a change with its own LSN. */
  drop(version: DocumentVersion): void {
    const { history, seconds } = this
    const partition = this.partitionOf(version.epk)
    const records: JournalRecord[] = [this.removed(partition, version)]
    this.indexes.remove(version)
    if (history !== null) {
      partition.lsn += 1
      const change = expiryOf(version, { lsn: partition.lsn, place: 0, ts: seconds })
      records.push(...history.add(partition, [change], seconds))
    }
    this.journal.append([...records, partitionRecord(this, partition)])
  }
}
