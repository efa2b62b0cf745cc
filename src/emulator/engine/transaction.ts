import { insertCharge, lookupCharge, readCharge, replaceCharge } from './values/charges.js'
import { checkedTtl, type ContainerDefinition } from './definition/container-definition.js'
import { countIndexed } from './definition/indexed-values.js'
import { assertId } from './values/document-id.js'
import type { DocumentIndexes } from './document-indexes.js'
import { DocumentVersion, type DocumentHome, type DocumentOwner } from './values/document-version.js'
import { originOf } from './values/version-fields.js'
import { ownText, systemLength } from './values/stored-text.js'
import type { ChangeHistory } from './changes/change-history.js'
import { documentRecord, partitionRecord, type Journal, type JournalRecord } from './changes/journal.js'
import type { JsonObject } from './values/json.js'
import { limits } from './values/limits.js'
import type { ItemOperation, OperationResult, WriteConditions } from './values/operations.js'
import { applyPatch } from './values/patch.js'
import { assertKeyMatches, type PartitionKey } from './partitions/partition-key.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'
import {
  alreadyExists,
  badRequest,
  notFound,
  notUnique,
  preconditionFailed,
  tooLarge,
} from './values/refusal.js'
import { uniqueKeyTexts } from './definition/unique-keys.js'
import { assertShape } from './values/value-shape.js'
import { expiryOf, type VersionChange } from './changes/version-change.js'

/** The location of the documents of one partition key. */
export interface KeyPlace {
  readonly keyText: string
  readonly epk: string
  readonly partition: PhysicalPartition
}

export interface TransactionTarget extends DocumentOwner {
  readonly journal: Journal
  /** Null for a container without history. */
  readonly history: ChangeHistory | null
  /** In seconds since the epoch. */
  readonly seconds: number
  readonly definition: ContainerDefinition
  readonly indexes: DocumentIndexes
  lastDocumentNumber: number
  locate(key: PartitionKey): KeyPlace
  /** Returns the version, or undefined if its time to live is over. */
  visible(version: DocumentVersion | undefined): DocumentVersion | undefined
  /** Takes a document out of a partition, and returns the record of that. */
  removed(partition: PhysicalPartition, version: DocumentVersion): JournalRecord
}

/**
 * A group of operations on one partition key. The operations become visible together, with one LSN, or not at
 * all. Each operation sees the effects of earlier operations. Nothing is stored before `commit`.
 */
export class Transaction {
  readonly partition: PhysicalPartition
  private readonly keyText: string
  private readonly home: DocumentHome
  private readonly lsn: number
  private readonly staged = new Map<string, DocumentVersion | null>()
  /** The ids of documents that do not exist, for each of which the disk was searched. */
  private readonly missing = new Set<string>()
  /** The last document that claimed each unique value. It may no longer have the value. */
  private readonly claimed = new Map<string, string>()
  /** Every single change, or null if the container keeps no history. `staged` has only the last versions. */
  private readonly changes: VersionChange[] | null
  private place = 0
  private created = 0

  constructor(
    private readonly container: TransactionTarget,
    key: PartitionKey,
  ) {
    const { keyText, epk, partition } = container.locate(key)
    this.keyText = keyText
    this.partition = partition
    this.home = partition.homeOf(keyText) ?? { keyText, epk, owner: container }
    this.lsn = this.partition.lsn + 1
    this.changes = container.history === null ? null : []
  }

  /** Applies one operation. If that is not possible, throws a `Refusal` and changes nothing. */
  execute(operation: ItemOperation): OperationResult {
    switch (operation.kind) {
      case 'create':
        return this.create(operation.document, operation)
      case 'upsert':
        return this.upsert(operation.document, operation)
      case 'read':
        return this.read(operation.id, operation)
      case 'replace':
        return this.replace(operation.id, operation.document, operation)
      case 'delete':
        return this.delete(operation.id, operation)
      case 'patch':
        return this.patch(operation)
    }
  }

  /** Makes all changes visible together. A transaction that wrote nothing takes no LSN. */
  commit(): void {
    if (this.place === 0) return
    const { container, partition, changes } = this
    const { rid: containerRid, history } = container
    partition.lsn = this.lsn
    container.lastDocumentNumber += this.created
    const records: JournalRecord[] = []
    const written: DocumentVersion[] = []
    for (const [id, version] of this.staged) {
      const before = this.present(id)
      if (before !== undefined) container.indexes.remove(before)
      if (before !== undefined && before.number !== version?.number) {
        records.push(container.removed(partition, before))
      }
      if (version === null) continue
      written.push(version)
      records.push(documentRecord(containerRid, version))
    }
    partition.store(written)
    container.indexes.add(written)
    for (const version of written) version.given = null
    records.push(partitionRecord(container, partition))
    if (changes !== null && history !== null) {
      records.push(...history.add(partition, changes, container.seconds))
    }
    container.journal.append(records)
  }

  private create(document: JsonObject, conditions: WriteConditions): OperationResult {
    const id = assertId(document['id'])
    const before = this.find(id)
    if (before !== undefined) {
      throw conditions.ifNoneMatch === undefined
        ? alreadyExists(`The document '${id}'`)
        : preconditionFailed(id, `If-None-Match: ${conditions.ifNoneMatch}`, before.etag)
    }
    return this.insert(id, document)
  }

  private upsert(document: JsonObject, conditions: WriteConditions): OperationResult {
    const id = assertId(document['id'])
    const before = this.find(id)
    if (before === undefined) return this.insert(id, document)
    assertConditions(before, conditions)
    return this.update(before, document)
  }

  private replace(id: string, document: JsonObject, conditions: WriteConditions): OperationResult {
    const before = this.expected(id, conditions)
    if (document['id'] !== id) {
      throw badRequest(
        `The id in the body is ${JSON.stringify(document['id'])}, but the document has the id '${id}'; ` +
          'an id cannot change.',
      )
    }
    return this.update(before, document)
  }

  private patch(operation: ItemOperation & { readonly kind: 'patch' }): OperationResult {
    const before = this.expected(operation.id, operation)
    const { steps, isApplicable } = operation.patch
    if (isApplicable !== undefined && !isApplicable(before.document)) {
      throw preconditionFailed(operation.id, 'of the patch', before.etag)
    }
    return this.update(before, applyPatch(before.copy(), steps))
  }

  private delete(id: string, conditions: WriteConditions): OperationResult {
    const before = this.expected(id, conditions)
    this.staged.set(id, null)
    this.place += 1
    this.note(null, before)
    return { status: 204, version: null, charge: insertCharge(before.bytes, this.indexed(before.document)) }
  }

  private read(id: string, conditions: WriteConditions): OperationResult {
    const version = this.existing(id)
    if (conditions.ifNoneMatch === version.etag || conditions.ifNoneMatch === '*')
      return { status: 304, version, charge: lookupCharge }
    if (conditions.ifMatch !== undefined) assertConditions(version, { ifMatch: conditions.ifMatch })
    return { status: 200, version, charge: readCharge(version.bytes) }
  }

  private insert(id: string, document: JsonObject): OperationResult {
    this.noteExpired(id)
    const version = this.stage(id, document, this.container.lastDocumentNumber + this.created + 1)
    this.created += 1
    this.note(version, null)
    return { status: 201, version, charge: insertCharge(version.bytes, this.indexed(document)) }
  }

  private update(before: DocumentVersion, document: JsonObject): OperationResult {
    const version = this.stage(before.id, document, before.number)
    this.note(version, before)
    return { status: 200, version, charge: replaceCharge(version.bytes, this.indexed(document)) }
  }

  private indexed(document: JsonObject): number {
    return countIndexed(this.container.definition.indexingPolicy, document)
  }

  private note(current: DocumentVersion | null, previous: DocumentVersion | null): void {
    this.changes?.push({
      kind: previous === null ? 'create' : current === null ? 'delete' : 'replace',
      ...this.nextChange(),
      current: current?.fields ?? null,
      previous: previous?.fields ?? null,
      isExpired: false,
    })
  }

  /** Records the expiry of an expired document before a new document with the same id replaces it. */
  private noteExpired(id: string): void {
    const expired = this.staged.has(id) ? undefined : this.present(id)
    if (expired !== undefined) this.changes?.push(expiryOf(expired, this.nextChange()))
  }

  private nextChange(): Pick<VersionChange, 'lsn' | 'place' | 'ts'> {
    return { lsn: this.lsn, place: this.changes?.length ?? 0, ts: this.container.seconds }
  }

  private stage(id: string, body: JsonObject, number: number): DocumentVersion {
    const { container, keyText, lsn, place } = this
    assertShape(body, `The document '${id}'`, limits.nestingLevels + 1)
    assertKeyMatches(body, keyText, container.definition.partitionKey)
    const ttl = body['ttl'] === undefined ? null : checkedTtl('ttl', body['ttl'])
    const ts = container.seconds
    const json = ownText(body)
    const origin = originOf(this.partition.id, place)
    const head = { id, number, lsn, place, origin, ts, ttl, bytes: 0 }
    // The service's text takes the place of the last brace of the client's JSON.
    head.bytes = Buffer.byteLength(json) - 1 + systemLength(container.rid, head)
    const version = new DocumentVersion(this.home, head, json)
    if (version.bytes > limits.documentBytes) {
      throw tooLarge(`the document '${id}'`, version.bytes, limits.documentBytes)
    }
    this.claim(id, body)
    version.given = body
    this.staged.set(id, version)
    this.place += 1
    return version
  }

  /** Claims a document's unique values. Throws if another document of the partition key has one of them. */
  private claim(id: string, body: JsonObject): void {
    const { uniqueKeys } = this.container.indexes
    if (uniqueKeys.keys.length === 0) return
    const texts = uniqueKeyTexts(body, uniqueKeys.keys)
    for (const text of texts) {
      const holder = this.claimed.get(text) ?? uniqueKeys.holder(this.keyText, text)
      if (holder === undefined || holder === id) continue
      const version = this.find(holder)
      if (version !== undefined && uniqueKeyTexts(version.copy(), uniqueKeys.keys).includes(text)) {
        throw notUnique(id, holder)
      }
    }
    for (const text of texts) this.claimed.set(text, id)
  }

  private expected(id: string, conditions: WriteConditions): DocumentVersion {
    const version = this.existing(id)
    assertConditions(version, conditions)
    return version
  }

  private existing(id: string): DocumentVersion {
    const version = this.find(id)
    if (version === undefined) throw notFound(`The document '${id}' with partition key ${this.keyText}`)
    return version
  }

  private find(id: string): DocumentVersion | undefined {
    const staged = this.staged.get(id)
    if (staged !== undefined) return staged ?? undefined
    return this.container.visible(this.present(id))
  }

  /** Returns the document as it was before this transaction. It may have expired. */
  private present(id: string): DocumentVersion | undefined {
    if (this.missing.has(id)) return undefined
    const found = this.partition.find(this.keyText, id)
    if (found === undefined) this.missing.add(id)
    return found
  }
}

function assertConditions(stored: DocumentVersion, conditions: WriteConditions): void {
  const { ifMatch, ifNoneMatch } = conditions
  if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== stored.etag) {
    throw preconditionFailed(stored.id, `If-Match: ${ifMatch}`, stored.etag)
  }
  if (ifNoneMatch !== undefined && (ifNoneMatch === '*' || ifNoneMatch === stored.etag)) {
    throw preconditionFailed(stored.id, `If-None-Match: ${ifNoneMatch}`, stored.etag)
  }
}
