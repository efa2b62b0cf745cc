import type { ChangeHistory } from './changes/change-history.js'
import type { ContainerDefinition } from './definition/container-definition.js'
import type { DocumentVersion } from './values/document-version.js'
import { DocumentIndexes } from './document-indexes.js'
import { effectivePartitionKey } from './partitions/effective-partition-key.js'
import { nextEtag } from './values/etag.js'
import { expiresAt } from './expiry-queue.js'
import type { Journal, JournalRecord } from './changes/journal.js'
import type { JsonObject } from './values/json.js'
import { historyRecords, recordChanges } from './changes/kept-changes.js'
import { contains, intersection, type KeyRange } from './partitions/key-ranges.js'
import { limits } from './values/limits.js'
import type { ContainerBirth } from './container-birth.js'
import { partitionRecord } from './changes/kept-changes.js'
import { split } from './partitions/split.js'
import { assertRedefinable } from './definition/redefinition.js'
import { merge } from './partitions/merge.js'
import type { BatchResult, ItemOperation, OperationResult } from './values/operations.js'
import { partitionKeyText, type PartitionKey } from './partitions/partition-key.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'
import { badRequest, rangeGone, Refusal } from './values/refusal.js'
import { documentNumber } from './values/resource-id.js'
import { Transaction, type KeyPlace, type TransactionTarget } from './transaction.js'
import { expiryOf } from './changes/version-change.js'
import { historyFor } from './changes/change-history.js'

/** Hashes of this many keys are remembered. */
const rememberedHashes = 20_000

/** At each access at most this many expired documents are dropped, so that none takes long. */
const purgedPerAccess = 256

/** A container: its settings and its documents, spread over physical partitions. */
export class Container implements TransactionTarget {
  readonly rid: string
  readonly databaseRid: string
  /** `dbs/d/colls/c` by names. */
  readonly link: string
  readonly now: () => number
  readonly journal: Journal
  definition: ContainerDefinition
  etag: string
  ts: number
  lastDocumentNumber: number
  indexes: DocumentIndexes
  /** Every change within the retention; null when the policy asks for none. */
  history: ChangeHistory | null
  /** Ordered by range; together they cover the key space. */
  private current: readonly PhysicalPartition[]
  /** Hashing costs more than all else in a small write, and writers come back to their keys. */
  private readonly hashes = new Map<string, string>()

  constructor(birth: ContainerBirth) {
    this.rid = birth.rid
    this.databaseRid = birth.databaseRid
    this.link = `dbs/${birth.databaseId}/colls/${birth.definition.id}`
    this.definition = birth.definition
    this.etag = birth.etag
    this.ts = birth.ts
    this.current = birth.partitions
    this.lastDocumentNumber = birth.lastDocumentNumber
    this.journal = birth.journal
    this.now = birth.now
    this.indexes = this.indexed()
    this.history = historyFor(birth.definition, birth.partitions, birth.history)
  }

  get id(): string {
    return this.definition.id
  }

  /** The path by rids, with a slash at its end. */
  get self(): string {
    return `dbs/${this.databaseRid}/colls/${this.rid}/`
  }

  get partitions(): readonly PhysicalPartition[] {
    return this.current
  }

  get documentCount(): number {
    return this.current.reduce((count, partition) => count + partition.documents.size, 0)
  }

  partitionOf(epk: string): PhysicalPartition {
    const found = this.current.find((partition) => contains(partition.range, epk))
    if (found === undefined) throw new RangeError(`no physical partition holds the key ${epk}`)
    return found
  }

  /** Where documents of a partition key are. */
  locate(key: PartitionKey): KeyPlace {
    const keyText = partitionKeyText(key)
    let epk = this.hashes.get(keyText)
    if (epk === undefined) {
      epk = effectivePartitionKey(key)
      if (this.hashes.size >= rememberedHashes) this.hashes.clear()
      this.hashes.set(keyText, epk)
    }
    return { keyText, epk, partition: this.partitionOf(epk) }
  }

  /** The document, or undefined when there is none to be seen. */
  find(key: PartitionKey, id: string): DocumentVersion | undefined {
    const { keyText, partition } = this.locate(key)
    return this.visible(partition.find(keyText, id))
  }

  /** The id of the document with this rid, or undefined when there is none. */
  idOf(rid: string): string | undefined {
    const number = documentNumber(this.rid, rid)
    if (number === null) return undefined
    for (const { documents } of this.current) {
      const [next] = documents.after(number - 1)
      if (next?.fields.number === number) return next.id
    }
    return undefined
  }

  /** Refuses a range id that is not (or no longer) one of the container's. */
  partitionById(rangeId: string): PhysicalPartition {
    const found = this.current.find((partition) => partition.id === rangeId)
    if (found === undefined) throw rangeGone(rangeId)
    return found
  }

  partitionsIn(range: KeyRange): readonly PhysicalPartition[] {
    return this.current.filter((partition) => intersection(partition.range, range) !== null)
  }

  /** The version, unless its time to live is over. */
  visible(version: DocumentVersion | undefined): DocumentVersion | undefined {
    return version === undefined || this.isExpired(version) ? undefined : version
  }

  isExpired(version: DocumentVersion): boolean {
    const second = expiresAt(version, this.definition.defaultTtl)
    return second !== null && second <= this.now() / 1000
  }

  /** One operation on one document. Throws a `Refusal`. */
  execute(key: PartitionKey, operation: ItemOperation): OperationResult {
    this.purgeExpired()
    const transaction = new Transaction(this, key)
    const result = transaction.execute(operation)
    transaction.commit()
    return result
  }

  /** Up to 100 operations on documents of one partition key: all or none, visible at once. */
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
        return { kind: 'rolledBack', failedAt: results.length, refusal: error, charge: sum(results) }
      }
    }
    transaction.commit()
    return { kind: 'committed', results, charge: sum(results) }
  }

  /** Changes the settings; what distributes documents cannot change. */
  redefine(definition: ContainerDefinition): void {
    assertRedefinable(this.definition, definition)
    this.definition = definition
    this.indexes = this.indexed()
    const ts = Math.floor(this.now() / 1000)
    this.etag = nextEtag(this.etag, ts)
    this.ts = ts
    this.journal.append([this.record(), ...this.redefinedHistory()])
  }

  /**
   * Replaces a physical partition by two. Both go on with the parent's LSNs, so that a position in the parent's feed is
   * one in each child's.
   */
  splitPartition(rangeId: string): readonly PhysicalPartition[] {
    const parent = this.partitionById(rangeId)
    const children = split(parent, this.lastRangeId)
    this.repartition([parent], children, [])
    return children
  }

  /** Replaces two neighbouring physical partitions by one; see `merge`. */
  mergePartitions([one, other]: readonly [string, string]): PhysicalPartition {
    const parents = [this.partitionById(one), this.partitionById(other)] as const
    const { child, moved } = merge(parents, String(this.lastRangeId + 1))
    this.repartition(parents, [child], moved)
    return child
  }

  /** The container as clients see it. */
  resource(): JsonObject {
    return {
      ...this.definition.body,
      _rid: this.rid,
      _ts: this.ts,
      _self: this.self,
      _etag: this.etag,
      _docs: 'docs/',
      _sprocs: 'sprocs/',
      _triggers: 'triggers/',
      _udfs: 'udfs/',
      _conflicts: 'conflicts/',
    }
  }

  record(): JournalRecord {
    const { rid, databaseRid, etag, ts } = this
    return {
      kind: 'container',
      container: { rid, databaseRid, definition: this.definition.body, etag, ts },
    }
  }

  /** The largest range id ever given: children's ids are larger than their parents', so it is a live one's. */
  private get lastRangeId(): number {
    return Math.max(...this.current.map((partition) => Number(partition.id)))
  }

  private repartition(
    parents: readonly PhysicalPartition[],
    children: readonly PhysicalPartition[],
    moved: readonly DocumentVersion[],
  ): void {
    this.current = [...this.current.filter((partition) => !parents.includes(partition)), ...children].sort(
      (left, right) => (left.range.min < right.range.min ? -1 : 1),
    )
    // A merge gives documents other places; indexes hold versions, not documents.
    this.indexes = this.indexed()
    const containerRid = this.rid
    this.journal.append([
      ...parents.map(({ id }): JournalRecord => ({ kind: 'partitionDeleted', containerRid, id })),
      ...children.map((child) => partitionRecord(this, child)),
      ...moved.map(({ fields }): JournalRecord => ({ kind: 'document', containerRid, version: fields })),
    ])
  }

  /** Drops documents that no client can see any more. Not while documents are being read: their order would break. */
  purgeExpired(most = purgedPerAccess): void {
    const { expiry } = this.indexes
    const nowSeconds = this.now() / 1000
    let left = most
    while (left > 0) {
      const versions = expiry.due(nowSeconds, left)
      if (versions.length === 0) return
      left -= versions.length
      for (const version of versions) this.drop(version)
    }
  }

  /** Where every change is kept, the end of a document is one, with an LSN of its own. */
  private drop(version: DocumentVersion): void {
    const { epk, number } = version.fields
    const partition = this.partitionOf(epk)
    partition.remove(version)
    this.indexes.remove(version)
    const records: JournalRecord[] = [{ kind: 'documentDeleted', containerRid: this.rid, number }]
    if (this.history !== null) {
      partition.lsn += 1
      const change = expiryOf(version, { lsn: partition.lsn, place: 0, ts: Math.floor(this.now() / 1000) })
      records.push(partitionRecord(this, partition), ...recordChanges(this, partition, [change]))
    }
    this.journal.append(records)
  }

  private indexed(): DocumentIndexes {
    const indexes = new DocumentIndexes(this.definition)
    for (const partition of this.current) indexes.add(partition.documents.after(0))
    return indexes
  }

  /** A policy that came begins a history now; one that went takes it along. */
  private redefinedHistory(): readonly JournalRecord[] {
    const { history } = this
    const { retentionSeconds } = this.definition
    if (history !== null && retentionSeconds !== null) {
      history.retentionSeconds = retentionSeconds
      return []
    }
    this.history = historyFor(this.definition, this.current)
    return history === null ? historyRecords(this) : [{ kind: 'historyDropped', containerRid: this.rid }]
  }
}

function sum(results: readonly OperationResult[]): number {
  return Math.round(results.reduce((total, result) => total + result.charge, 0) * 100) / 100
}
