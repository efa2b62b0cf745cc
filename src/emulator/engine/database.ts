import type { Container } from './container.js'
import type { DatabaseRecord, JournalRecord } from './changes/journal.js'
import type { JsonObject } from './values/json.js'

/** A database, which is a named group of containers. */
export class Database {
  readonly id: string
  readonly rid: string
  readonly containersById = new Map<string, Container>()
  lastContainerNumber: number

  constructor(private readonly birth: DatabaseRecord) {
    this.id = birth.id
    this.rid = birth.rid
    this.lastContainerNumber = birth.lastContainerNumber
  }

  get containers(): readonly Container[] {
    return [...this.containersById.values()]
  }

  container(name: string): Container | undefined {
    return this.containersById.get(name) ?? this.containers.find((container) => container.rid === name)
  }

  /** The path by rid, with a trailing slash. */
  get self(): string {
    return `dbs/${this.rid}/`
  }

  resource(): JsonObject {
    const { id, rid, etag, ts } = this.birth
    return { id, _rid: rid, _self: this.self, _etag: etag, _colls: 'colls/', _users: 'users/', _ts: ts }
  }

  record(): JournalRecord {
    const { rid, birth, lastContainerNumber } = this
    return { kind: 'database', rid, value: { ...birth, lastContainerNumber } }
  }
}
