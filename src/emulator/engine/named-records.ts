import { assertName } from './values/document-id.js'
import { settingsEtag } from './values/etag.js'
import type { NamedRecord } from './changes/journal.js'
import { alreadyExists, notFound, Refusal } from './values/refusal.js'

export interface NamedRecordsOptions<T> {
  /** The kind of the records, such as `user`. */
  readonly what: string
  /** Keeps a record, or removes it if the value is null. */
  readonly append: (rid: string, value: T | null) => void
  /** Returns the time in seconds since the epoch. */
  readonly seconds: () => number
  /** Returns a rid that belongs to the owner and that no record has. */
  readonly newRid: (ownerRid: string, isTaken: (rid: string) => boolean) => string
}

/** The part of a record that the client chooses. */
type Settings<T extends NamedRecord> = Omit<T, keyof NamedRecord> & { readonly id: string }

/** Records of one kind, each with an id that is unique for its owner: users, or permissions. */
export class NamedRecords<T extends NamedRecord> {
  private readonly byRid = new Map<string, T>()

  constructor(private readonly options: NamedRecordsOptions<T>) {}

  restore(records: Iterable<T>): void {
    for (const record of records) this.byRid.set(record.rid, record)
  }

  /** Returns the records of an owner, in the order of creation. */
  of(ownerRid: string): readonly T[] {
    return [...this.byRid.values()].filter((record) => record.ownerRid === ownerRid)
  }

  /** Returns the record with this id or rid, or undefined if the owner has none. */
  find(ownerRid: string, name: string): T | undefined {
    return this.of(ownerRid).find(({ id, rid }) => id === name || rid === name)
  }

  /** Returns the record with this id or rid. Throws a `Refusal` if the owner has none. */
  get(ownerRid: string, name: string): T {
    const found = this.find(ownerRid, name)
    if (found === undefined) throw notFound(`The ${this.options.what} '${name}'`)
    return found
  }

  /** Returns the record with this rid, whatever its owner. */
  withRid(rid: string): T | undefined {
    return this.byRid.get(rid)
  }

  create(ownerRid: string, settings: Settings<T>): T {
    const rid = this.options.newRid(ownerRid, (taken) => this.byRid.has(taken))
    return this.keep({ rid, ownerRid, changes: 0 }, settings)
  }

  replace(before: T, settings: Settings<T>): T {
    return this.keep({ ...before, changes: before.changes + 1 }, settings)
  }

  delete({ rid }: T): void {
    this.byRid.delete(rid)
    this.options.append(rid, null)
  }

  private keep(own: Pick<NamedRecord, 'rid' | 'ownerRid' | 'changes'>, settings: Settings<T>): T {
    const { what, append, seconds } = this.options
    assertName(settings.id, what)
    const holder = this.of(own.ownerRid).find(({ id }) => id === settings.id)
    if (holder !== undefined && holder.rid !== own.rid) throw alreadyExists(`The ${what} '${settings.id}'`)
    const record = { ...own, ...settings, ts: seconds() } as unknown as T
    this.byRid.set(record.rid, record)
    append(record.rid, record)
    return record
  }
}

export function etagOfNamed({ changes, ts }: NamedRecord): string {
  return settingsEtag(changes, ts)
}

/** Refuses a change of a record if the client expects another etag. */
export function assertNamedMatch(record: NamedRecord, ifMatch: string | undefined): void {
  const etag = etagOfNamed(record)
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === etag) return
  throw new Refusal(412, `'${record.id}' has etag ${etag}, not ${ifMatch}. Read it, and decide again.`)
}
