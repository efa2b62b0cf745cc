import { ChangeHistory, type KeptHistory } from './change-history.js'
import type { ContainerDefinition } from './container-definition.js'
import type { DocumentVersion } from './document-version.js'
import { effectivePartitionKey } from './effective-partition-key.js'
import { etagOf } from './etag.js'
import type { Journal, JournalRecord } from './journal.js'
import type { JsonObject } from './json.js'
import { historyRecords, recordChanges } from './kept-changes.js'
import { contains, intersection, middleOf, type KeyRange } from './key-ranges.js'
import { limits } from './limits.js'
import type { BatchResult, ItemOperation, OperationResult } from './operations.js'
import { partitionKeyText, type PartitionKey } from './partition-key.js'
import { PhysicalPartition } from './physical-partition.js'
import { badRequest, rangeGone, Refusal } from './refusal.js'
import { Transaction } from './transaction.js'
import { expiryOf } from './version-change.js'

/** What a container is born with. */
export interface ContainerBirth {
  readonly rid: string
  readonly databaseRid: string
  readonly databaseId: string
  readonly definition: ContainerDefinition
  readonly etag: string
  readonly ts: number
  readonly partitions: readonly PhysicalPartition[]
  readonly lastDocumentNumber: number
  /** What a journal kept of its history. */
  readonly history?: KeptHistory | undefined
  readonly journal: Journal
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Where the documents of one partition key are. */
export interface KeyPlace {
  readonly keyText: string
  readonly epk: string
  readonly partition: PhysicalPartition
}

/** Hashes of this many keys are remembered. */
const rememberedHashes = 20_000

/** At each write this many documents are looked at, so that expired ones do not stay for ever. */
const purgedPerWrite = 4

/** A container: its settings and its documents, spread over physical partitions. */
export class Container {
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
  /** Every change within the retention; null when the policy asks for none. */
  history: ChangeHistory | null
  /** Ordered by range; together they cover the key space. */
  private current: readonly PhysicalPartition[]
  private purgedUpTo = 0
  private sweptAt = 0
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
    const { defaultTtl } = this.definition
    if (defaultTtl === null) return false
    const ttl = version.fields.ttl ?? defaultTtl
    return ttl !== -1 && version.fields.ts + ttl <= this.now() / 1000
  }

  /** One operation on one document. Throws a `Refusal`. */
  execute(key: PartitionKey, operation: ItemOperation): OperationResult {
    const transaction = new Transaction(this, key)
    const result = transaction.execute(operation)
    transaction.commit()
    if (operation.kind !== 'read') this.purgeExpired()
    return result
  }

  /** Up to 100 operations on documents of one partition key: all or none, visible at once. */
  batch(key: PartitionKey, operations: readonly ItemOperation[]): BatchResult {
    if (operations.length === 0 || operations.length > limits.batchOperations) {
      throw badRequest(
        `A batch has ${operations.length} operations; it must have 1 to ${limits.batchOperations}.`,
      )
    }
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
    this.purgeExpired()
    return { kind: 'committed', results, charge: sum(results) }
  }

  /** Changes the settings; what distributes documents cannot change. */
  redefine(definition: ContainerDefinition): void {
    const same = JSON.stringify(definition.partitionKey) === JSON.stringify(this.definition.partitionKey)
    if (!same || definition.id !== this.definition.id) {
      throw badRequest(
        'The id and the partition key of a container cannot be changed; create another container.',
      )
    }
    this.definition = definition
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
    const middle = middleOf(parent.range)
    const lastId = Math.max(...this.current.map((partition) => Number(partition.id)))
    const parents = [...parent.identity.parents, parent.id]
    const children = [
      { min: parent.range.min, max: middle },
      { min: middle, max: parent.range.max },
    ].map((range, index) => {
      const child = new PhysicalPartition({ id: String(lastId + 1 + index), range, parents }, parent.lsn)
      child.store([...parent.documents.after(0)].filter((version) => contains(range, version.fields.epk)))
      return child
    })
    this.current = this.current.flatMap((partition) => (partition === parent ? children : [partition]))
    this.journal.append([
      { kind: 'partitionDeleted', containerRid: this.rid, id: parent.id },
      ...children.map((child) => this.partitionRecord(child)),
    ])
    return children
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

  partitionRecord(partition: PhysicalPartition): JournalRecord {
    const { id, range, parents } = partition.identity
    return {
      kind: 'partition',
      partition: {
        containerRid: this.rid,
        id,
        min: range.min,
        max: range.max,
        parents,
        lsn: partition.lsn,
        lastDocumentNumber: this.lastDocumentNumber,
      },
    }
  }

  /** Looks at a few documents, round and round, and drops those nobody can see any more. */
  private purgeExpired(): void {
    if (this.definition.defaultTtl === null) return
    for (const partition of this.current) {
      const looked: DocumentVersion[] = []
      for (const version of partition.documents.after(this.purgedUpTo)) {
        looked.push(version)
        if (looked.length === purgedPerWrite) break
      }
      this.purgedUpTo = looked.at(-1)?.fields.number ?? 0
      for (const version of looked.filter((one) => this.isExpired(one))) this.expire(partition, version)
    }
  }

  /** Drops all that nobody can see any more. Documents expire at full seconds, so once in each is enough. */
  sweepExpired(): void {
    const second = Math.floor(this.now() / 1000)
    if (this.definition.defaultTtl === null || second === this.sweptAt) return
    this.sweptAt = second
    for (const partition of this.current) {
      const expired = [...partition.documents.after(0)].filter((version) => this.isExpired(version))
      for (const version of expired) this.expire(partition, version)
    }
  }

  /** Where every change is kept, the end of a document is one, with an LSN of its own. */
  private expire(partition: PhysicalPartition, version: DocumentVersion): void {
    partition.remove(version)
    const records: JournalRecord[] = [
      { kind: 'documentDeleted', containerRid: this.rid, number: version.fields.number },
    ]
    if (this.history !== null) {
      partition.lsn += 1
      const change = expiryOf(version, { lsn: partition.lsn, place: 0, ts: Math.floor(this.now() / 1000) })
      records.push(this.partitionRecord(partition), ...recordChanges(this, partition, [change]))
    }
    this.journal.append(records)
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

function historyFor(
  { retentionSeconds }: ContainerDefinition,
  partitions: readonly PhysicalPartition[],
  kept?: KeptHistory,
): ChangeHistory | null {
  return retentionSeconds === null ? null : new ChangeHistory(partitions, retentionSeconds, kept)
}

/** The etag of settings that were changed, which have no LSN of their own. */
function nextEtag(etag: string, ts: number): string {
  const changes = Number.parseInt(etag.slice(1, 9), 16)
  return etagOf({ rangeId: '0', lsn: changes + 1, place: 0, ts })
}

function sum(results: readonly OperationResult[]): number {
  return Math.round(results.reduce((total, result) => total + result.charge, 0) * 100) / 100
}
