import { contains, intersection, type KeyRange } from '../partitions/key-ranges.js'
import type { PhysicalPartition } from '../partitions/physical-partition.js'
import type { HistoryFloor, JournalRecord, KeptHistory } from './journal.js'
import { epkOf, type VersionChange } from './version-change.js'

export interface HistoryOwner {
  readonly rid: string
  readonly partitions: readonly PhysicalPartition[]
}

/**
 * Every change of a container's documents within the retention. Only containers with a change feed policy
 * have a history. A change costs only the memory of the replaced version, because versions are shared.
 *
 * Changes are kept by physical partition, in LSN order. The container does not tell the history when
 * partitions split or merge. When the history first uses a partition, it moves the changes in that
 * partition's range from the earlier partitions to the new one.
 */
export class ChangeHistory {
  private logs = new Map<string, VersionChange[]>()
  private floors: readonly HistoryFloor[]
  private trimmedAt = 0

  /** @param kept the changes that a journal kept; if omitted, the history begins now */
  constructor(
    private readonly owner: HistoryOwner,
    public retentionSeconds: number,
    kept?: KeptHistory,
  ) {
    this.floors = kept?.floors ?? owner.partitions.map(({ range, lsn }) => ({ ...range, lsn }))
    this.logs.set('', [...(kept?.changes ?? [])])
    this.arrange()
  }

  /** Returns the records to write for a history that has just begun. */
  begun(): readonly JournalRecord[] {
    return [{ kind: 'history', containerRid: this.owner.rid, floors: this.floors }]
  }

  /**
   * Adds the changes of one transaction, in the order in which they were made. Returns the records to write.
   */
  add(
    partition: PhysicalPartition,
    changes: readonly VersionChange[],
    nowSeconds: number,
  ): readonly JournalRecord[] {
    this.logOf(partition).push(...changes)
    return [...this.records(changes, false), ...this.forget(nowSeconds)]
  }

  /** Yields the changes of a partition after `lsn`, in LSN order. */
  *after(partition: PhysicalPartition, lsn: number): Generator<VersionChange, void, undefined> {
    const log = this.logOf(partition)
    let low = 0
    let high = log.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((log[middle]?.lsn ?? 0) > lsn) high = middle
      else low = middle + 1
    }
    for (let index = low; index < log.length; index += 1) {
      const change = log[index]
      if (change !== undefined) yield change
    }
  }

  /** Checks whether every change after `lsn` in this part of the key space is still kept. */
  isKept(scope: KeyRange, lsn: number): boolean {
    return this.floors.every((floor) => lsn >= floor.lsn || intersection(floor, scope) === null)
  }

  /** Forgets changes older than the retention. Returns the records to write. */
  forget(nowSeconds: number): readonly JournalRecord[] {
    if (nowSeconds === this.trimmedAt) return []
    this.trimmedAt = nowSeconds
    const forgotten: VersionChange[] = []
    for (const partition of this.owner.partitions) {
      const log = this.logOf(partition)
      const kept = log.findIndex((change) => change.ts > nowSeconds - this.retentionSeconds)
      const old = log.splice(0, kept < 0 ? log.length : kept)
      const lsn = old.at(-1)?.lsn
      if (lsn === undefined) continue
      forgotten.push(...old)
      this.raiseFloor({ ...partition.range, lsn })
    }
    return forgotten.length === 0 ? [] : [...this.records(forgotten, true), ...this.begun()]
  }

  private records(changes: readonly VersionChange[], isForgotten: boolean): readonly JournalRecord[] {
    const containerRid = this.owner.rid
    return changes.map((change) => ({ kind: 'change', containerRid, change, isForgotten }))
  }

  private logOf({ id }: PhysicalPartition): VersionChange[] {
    if (!this.logs.has(id)) this.arrange()
    const log = this.logs.get(id)
    if (log === undefined) throw new RangeError(`partition ${id} does not belong to the container`)
    return log
  }

  /** Moves the changes of former partitions to their successors. Partition ids are never reused. */
  private arrange(): void {
    const { partitions } = this.owner
    const left = [...this.logs].filter(([id]) => partitions.every((partition) => partition.id !== id))
    const orphaned = left.flatMap(([, log]) => log)
    this.logs = new Map(
      partitions.map(({ id, range }) => [id, this.logs.get(id) ?? takenOver(orphaned, range)] as const),
    )
  }

  private raiseFloor(raised: HistoryFloor): void {
    const isCovered = (floor: HistoryFloor): boolean =>
      floor.min >= raised.min && floor.max <= raised.max && floor.lsn <= raised.lsn
    this.floors = [...this.floors.filter((floor) => !isCovered(floor)), raised]
  }
}

/**
 * Returns the changes within a range, sorted by LSN. Before a merge, both partitions numbered their
 * transactions separately. After sorting, positions of both partitions stay valid: a reader at LSN n has
 * seen every change of its former partition up to n, and none after n.
 */
function takenOver(changes: readonly VersionChange[], range: KeyRange): VersionChange[] {
  return changes
    .filter((change) => contains(range, epkOf(change)))
    .sort((a, b) => a.lsn - b.lsn || a.place - b.place)
}
