import { parseContainerDefinition, type ContainerDefinition } from './definition/container-definition.js'
import { Container } from './container.js'
import { ColdDocuments } from './cold/cold-documents.js'
import { Database } from './database.js'
import type { DocumentSource } from './cold/document-source.js'
import { assertName } from './values/document-id.js'
import { recoveredIn } from './recovered-documents.js'
import { restoredPartitions } from './restored-partitions.js'
import { settingsEtag } from './values/etag.js'
import {
  noJournal,
  partitionRecord,
  type Journal,
  type JournalContents,
  type NamedRecord,
  type PermissionRecord,
} from './changes/journal.js'
import type { JsonObject } from './values/json.js'
import type { TextMemory } from './values/text-memory.js'
import type { KeyRange } from './partitions/key-ranges.js'
import { cutEvenly, keySpaceOf } from './partitions/key-space.js'
import { NamedRecords } from './named-records.js'
import { Offers } from './offers.js'
import { PhysicalPartition } from './partitions/physical-partition.js'
import { alreadyExists, notFound, substatus } from './values/refusal.js'
import { containerRid, databaseRid, offerRid, permissionRid, userRid } from './values/resource-id.js'
import { WriteWatch } from './write-watch.js'

/** Options of a {@link CosmosEngine}. */
export interface EngineOptions {
  /** Returns the wall-clock time in milliseconds since the epoch. */
  readonly now: () => number
  /** Returns a unique name that contains at least 8 hexadecimal digits. */
  readonly nextId: () => string
  /** The number of physical partitions of a new container. Default 1. */
  readonly partitionCount?: number
  readonly journal?: Journal
  /** The documents on disk, and the memory for those that are also on disk. By default, all stay in memory. */
  readonly disk?: { readonly documents: DocumentSource; readonly memory: TextMemory }
}

/**
 * A Cosmos DB account in memory. Each of its physical partitions has one log. The engine is synchronous and
 * has no clock or randomness of its own. The caller decides when an answer may be sent. The engine throws
 * only `Refusal`.
 */
export class CosmosEngine {
  readonly now: () => number
  readonly offers: Offers
  /** Reports the writes of documents. */
  readonly writes = new WriteWatch()
  readonly users: NamedRecords<NamedRecord>
  readonly permissions: NamedRecords<PermissionRecord>
  private readonly nextId: () => string
  private readonly partitionCount: number
  private readonly journal: Journal
  private readonly disk: EngineOptions['disk'] | null
  private readonly databasesById = new Map<string, Database>()
  private swept: Iterator<Container, void> | null = null

  constructor(options: EngineOptions) {
    this.now = options.now
    this.nextId = options.nextId
    this.partitionCount = options.partitionCount ?? 1
    this.journal = options.journal ?? noJournal
    this.disk = options.disk ?? null
    this.offers = new Offers({
      journal: this.journal,
      seconds: () => this.seconds(),
      newRid: (isTaken) => this.newRid(offerRid, isTaken),
    })
    this.users = this.namedRecords('user', userRid, (rid, value) => {
      this.journal.append([{ kind: 'user', rid, value }])
    })
    this.permissions = this.namedRecords('permission', permissionRid, (rid, value) => {
      this.journal.append([{ kind: 'permission', rid, value }])
    })
  }

  private namedRecords<T extends NamedRecord>(
    what: string,
    ridOf: (owner: string, number: number) => string,
    append: (rid: string, value: T | null) => void,
  ): NamedRecords<T> {
    const newRid = (owner: string, isTaken: (rid: string) => boolean): string =>
      this.newRid((number) => ridOf(owner, number), isTaken)
    return new NamedRecords({ what, append, seconds: () => this.seconds(), newRid })
  }

  get databases(): readonly Database[] {
    return [...this.databasesById.values()]
  }

  /**
   * Resolves when everything stored so far is durable. Returns null if it is durable already. No answer may
   * be sent before its data is durable, because a reader of the feed may keep a position that it has seen.
   */
  settled(): Promise<void> | null {
    return this.journal.settled()
  }

  /** Resolves when everything stored so far is also in the source of documents on disk (see `Journal`). */
  applied(): Promise<void> | null {
    return this.journal.applied()
  }

  createDatabase(id: string): Database {
    assertName(id, 'database')
    if (this.databasesById.has(id)) throw alreadyExists(`The database '${id}'`)
    const ts = this.seconds()
    const database = new Database({
      id,
      rid: this.newRid(databaseRid, (rid) => this.findDatabase(rid) !== undefined),
      etag: settingsEtag(0, ts),
      ts,
      lastContainerNumber: 0,
    })
    this.databasesById.set(id, database)
    this.journal.append([database.record()])
    return database
  }

  /** Returns the database with this id or rid. Throws a `Refusal` if there is none. */
  database(name: string): Database {
    const found = this.databaseNamed(name)
    if (found === undefined) throw notFound(`The database '${name}'`)
    return found
  }

  /** Returns the database with this id, or else the one with this rid, or undefined. */
  databaseNamed(name: string): Database | undefined {
    return this.databasesById.get(name) ?? this.findDatabase(name)
  }

  deleteDatabase(name: string): void {
    const database = this.database(name)
    this.databasesById.delete(database.id)
    // Otherwise the next access would drop expired documents of these containers, and write records of them.
    this.swept = null
    this.offers.deleteOf([database.rid, ...database.containers.map(({ rid }) => rid)])
    for (const user of this.users.of(database.rid)) this.deleteUser(user)
    this.journal.append([
      ...database.containers.map(({ rid }) => ({ kind: 'container', rid, value: null }) as const),
      { kind: 'database', rid: database.rid, value: null },
    ])
  }

  /** Deletes a user and the user's permissions. */
  deleteUser(user: NamedRecord): void {
    for (const permission of this.permissions.of(user.rid)) this.permissions.delete(permission)
    this.users.delete(user)
  }

  /**
   * @param partitionCount the number of physical partitions; default: the engine's `partitionCount` option
   */
  createContainer(databaseName: string, body: JsonObject, partitionCount = this.partitionCount): Container {
    const database = this.database(databaseName)
    const definition = parseContainerDefinition(body)
    if (database.containersById.has(definition.id)) {
      throw alreadyExists(`The container '${definition.id}'`)
    }
    database.lastContainerNumber += 1
    const ts = this.seconds()
    const rid = containerRid(database.rid, database.lastContainerNumber)
    const cold = this.coldDocuments(rid)
    const container = new Container({
      rid,
      databaseRid: database.rid,
      databaseId: database.id,
      definition,
      etag: settingsEtag(0, ts),
      ts,
      partitions: firstRanges(definition, partitionCount).map(
        (range, index) => new PhysicalPartition({ id: String(index), range, parents: [] }, 0, cold),
      ),
      lastDocumentNumber: 0,
      memory: this.disk?.memory ?? null,
      cold,
      journal: this.journal,
      now: this.now,
      writes: this.writes,
    })
    database.containersById.set(container.id, container)
    this.journal.append([
      database.record(),
      container.record(),
      ...container.partitions.map((partition) => partitionRecord(container, partition)),
      ...(container.history?.begun() ?? []),
    ])
    return container
  }

  /**
   * Returns the container with these ids or rids, and deletes some expired documents. If the container is
   * missing, the refusal is `ownerNotFound`.
   */
  container(databaseName: string, containerName: string): Container {
    const found = this.databaseNamed(databaseName)?.container(containerName)
    if (found === undefined) {
      throw notFound(`The container '${databaseName}/${containerName}'`, substatus.ownerNotFound)
    }
    found.purgeExpired()
    this.sweepNext()
    return found
  }

  deleteContainer(databaseName: string, containerName: string): void {
    const container = this.container(databaseName, containerName)
    this.database(databaseName).containersById.delete(container.id)
    this.offers.deleteOf([container.rid])
    this.journal.append([{ kind: 'container', rid: container.rid, value: null }])
  }

  /** Loads the contents of a journal. The engine must be empty. */
  restore(contents: JournalContents): void {
    for (const record of contents.databases) this.databasesById.set(record.id, new Database(record))
    this.offers.restore(contents.offers)
    this.users.restore(contents.users)
    this.permissions.restore(contents.permissions)
    const partitionRecords = [...contents.partitions]
    const recovered = recoveredIn(contents.documents)
    for (const record of contents.containers) {
      const database = this.findDatabase(record.databaseRid)
      if (database === undefined) throw new RangeError(`the journal has no database ${record.databaseRid}`)
      const own = partitionRecords.filter((partition) => partition.containerRid === record.rid)
      const history = contents.history(record.rid)
      const cold = this.coldDocuments(record.rid)
      const container = new Container({
        ...record,
        databaseId: database.id,
        definition: parseContainerDefinition(record.definition),
        partitions: restoredPartitions(own, cold),
        lastDocumentNumber: Math.max(0, ...own.map((partition) => partition.lastDocumentNumber)),
        history,
        recovered: recovered.get(record.rid),
        memory: this.disk?.memory ?? null,
        cold,
        journal: this.journal,
        now: this.now,
        writes: this.writes,
      })
      database.containersById.set(container.id, container)
      if (history === undefined) this.journal.append(container.history?.begun() ?? [])
    }
  }

  private coldDocuments(containerRid: string): ColdDocuments | null {
    return this.disk ? new ColdDocuments(containerRid, this.disk.documents) : null
  }

  /**
   * Deletes expired documents of the next container. Runs at each access to any container, so that documents
   * also expire in containers that are not accessed.
   */
  private sweepNext(): void {
    this.swept ??= this.containers()
    const { value } = this.swept.next()
    if (value === undefined) this.swept = null
    else value.purgeExpired()
  }

  private *containers(): Generator<Container, void, undefined> {
    for (const database of this.databasesById.values()) yield* database.containersById.values()
  }

  private findDatabase(rid: string): Database | undefined {
    return this.databases.find((database) => database.rid === rid)
  }

  private seconds(): number {
    return Math.floor(this.now() / 1000)
  }

  /** Returns a new random rid, so that a token from a deleted account does not fit a new account. */
  private newRid(ridOf: (number: number) => string, isTaken: (rid: string) => boolean): string {
    while (true) {
      const digits = this.nextId().replaceAll(/[^0-9a-f]/gu, '')
      const rid = ridOf(Number.parseInt(digits.slice(0, 8), 16))
      if (!isTaken(rid)) return rid
    }
  }
}

/** A container without a partition key of its own cannot grow beyond one physical partition. */
function firstRanges({ partitionKey }: ContainerDefinition, count: number): readonly KeyRange[] {
  return cutEvenly(partitionKey.systemKey === true ? 1 : count, keySpaceOf(partitionKey))
}
