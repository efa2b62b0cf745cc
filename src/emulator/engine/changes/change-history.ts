import { contains, intersection, type KeyRange } from '../partitions/key-ranges.js'
import type { PhysicalPartition } from '../partitions/physical-partition.js'
import { epkOf, type VersionChange } from './version-change.js'

/** The LSN up to which the changes in a part of the key space are not kept. */
export interface HistoryFloor {
  readonly min: string
  readonly max: string
  readonly lsn: number
}

/** A history as the journal keeps it. */
export interface KeptHistory {
  readonly floors: readonly HistoryFloor[]
  readonly changes: Iterable<VersionChange>
}

/** The changes that a history no longer keeps, and its new floors. */
export interface Forgotten {
  readonly changes: readonly VersionChange[]
  readonly floors: readonly HistoryFloor[]
}

/**
 * Every change of a container's documents within its retention. Only containers with a change feed policy have a
 * history. It shares versions with the stored documents: a change costs the memory of the version it replaced.
 *
 * Changes are kept by physical partition, in LSN order. The history is not informed of splits and merges. When it
 * meets a partition for the first time, it moves to it the changes of its range that earlier partitions kept, just
 * as the partition took over their documents and LSNs.
 */
export class ChangeHistory {
  private logs = new Map<string, VersionChange[]>()
  private lastFloors: readonly HistoryFloor[]
  private trimmedAt = 0

  /**
   * Creates a history.
   *
   * @param kept the changes that a journal kept; without them the history begins now
   */
  constructor(
    partitions: readonly PhysicalPartition[],
    public retentionSeconds: number,
    kept?: KeptHistory,
  ) {
    this.lastFloors = kept?.floors ?? partitions.map(({ range, lsn }) => ({ ...range, lsn }))
    this.logs.set('', [...(kept?.changes ?? [])])
    this.arrange(partitions)
  }

  get floors(): readonly HistoryFloor[] {
    return this.lastFloors
  }

  /** Adds the changes of one transaction of a partition, in their order. */
  add(
    partitions: readonly PhysicalPartition[],
    partition: PhysicalPartition,
    changes: readonly VersionChange[],
  ): void {
    this.logOf(partitions, partition).push(...changes)
  }

  /** Yields the changes of a partition after `lsn`, in LSN order. */
  *after(
    partitions: readonly PhysicalPartition[],
    partition: PhysicalPartition,
    lsn: number,
  ): Generator<VersionChange, void, undefined> {
    const log = this.logOf(partitions, partition)
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
    return this.lastFloors.every((floor) => lsn >= floor.lsn || intersection(floor, scope) === null)
  }

  /** Forgets changes older than the retention. Returns null when there are none. */
  forget(partitions: readonly PhysicalPartition[], nowSeconds: number): Forgotten | null {
    if (nowSeconds === this.trimmedAt) return null
    this.trimmedAt = nowSeconds
    const changes: VersionChange[] = []
    for (const partition of partitions) {
      const log = this.logOf(partitions, partition)
      const kept = log.findIndex((change) => change.ts > nowSeconds - this.retentionSeconds)
      const old = log.splice(0, kept < 0 ? log.length : kept)
      const lsn = old.at(-1)?.lsn
      if (lsn === undefined) continue
      changes.push(...old)
      this.raiseFloor({ ...partition.range, lsn })
    }
    return changes.length === 0 ? null : { changes, floors: this.lastFloors }
  }

  private logOf(partitions: readonly PhysicalPartition[], partition: PhysicalPartition): VersionChange[] {
    const log = this.logs.get(partition.id)
    if (log !== undefined) return log
    this.arrange(partitions)
    const arranged = this.logs.get(partition.id)
    if (arranged === undefined)
      throw new RangeError(`partition ${partition.id} is not one of the container's`)
    return arranged
  }

  /**
   * Moves the changes of partitions that are gone to the new ones. Ids are never reused, so a log under a known id
   * belongs to that partition.
   */
  private arrange(partitions: readonly PhysicalPartition[]): void {
    const left = [...this.logs].filter(([id]) => partitions.every((partition) => partition.id !== id))
    const orphaned = left.flatMap(([, log]) => log)
    this.logs = new Map(
      partitions.map(({ id, range }) => [id, this.logs.get(id) ?? takenOver(orphaned, range)] as const),
    )
  }

  private raiseFloor(raised: HistoryFloor): void {
    const isCovered = (floor: HistoryFloor): boolean =>
      floor.min >= raised.min && floor.max <= raised.max && floor.lsn <= raised.lsn
    this.lastFloors = [...this.lastFloors.filter((floor) => !isCovered(floor)), raised]
  }
}

/**
 * Returns the changes within a range, in LSN order. Merged partitions numbered their transactions separately.
 * After sorting, a position in either of them still follows everything its reader has seen.
 */
function takenOver(changes: readonly VersionChange[], range: KeyRange): VersionChange[] {
  return changes
    .filter((change) => contains(range, epkOf(change)))
    .sort((a, b) => a.lsn - b.lsn || a.place - b.place)
}

export function historyFor(
  { retentionSeconds }: { readonly retentionSeconds: number | null },
  partitions: readonly PhysicalPartition[],
  kept?: KeptHistory,
): ChangeHistory | null {
  return retentionSeconds === null ? null : new ChangeHistory(partitions, retentionSeconds, kept)
}
