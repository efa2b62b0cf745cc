import { readChanges, type Container } from '../../src/emulator/engine/index.js'
import type { FeedRange } from '../../lease-store/index.js'
import type { Change } from '../../src/change-feed-processor/index.js'
import type { Checker, Delivery, SimulationEvent, Written } from '../../src/testing/events.js'
import { leases, monitored } from './processor-unit.js'
import { documentIn, leaseIn, lsnOf } from '../../src/testing/stored-lease.js'

/** One change of a key. The writer numbers all changes of one key, whatever document they are in. */
interface KeyedChange {
  readonly key: string
  readonly id: string
  readonly place: number
}

/**
 * Checks that every change reaches the unit at least once and in the order of its key, or is set aside. No
 * checkpoint may be ahead of that (I10). A change that a later one of the same document replaced need not
 * arrive, because the feed shows latest versions.
 */
export class DeliveryChecker implements Checker {
  /** By key, the changes that no delegate has accepted yet, oldest first, with the document's id. */
  private readonly open = new Map<string, Map<number, string>>()
  private readonly latest = new Map<string, number>()

  constructor(private readonly container: () => Container) {}

  /** The number of changes that delegates have accepted, including repetitions. */
  acceptedCount = 0

  /** Changes that were set aside, including repetitions. */
  readonly setAside: Change[] = []

  /** The number of changes that no delegate has accepted yet. */
  get openCount(): number {
    return [...this.open.values()].reduce((count, places) => count + places.size, 0)
  }

  check(event: SimulationEvent): readonly string[] {
    switch (event.type) {
      case 'written':
        if (event.container === monitored) this.written(event)
        return event.container === leases ? this.checkpointed(event) : []
      case 'delivery.started':
        return this.started(event)
      case 'delivery.accepted':
        this.acceptedCount += event.changes.length
        this.settled(event)
        return []
      case 'delivery.setAside':
        this.setAside.push(...event.changes)
        this.settled(event)
        return []
      case 'lease.released':
      case 'fault':
      case 'acknowledged':
      case 'called':
        return []
    }
  }

  private settled({ changes }: Delivery): void {
    for (const change of changes) {
      const { key, place } = keyedChange(change)
      this.open.get(key)?.delete(place)
    }
  }

  private written({ after }: Written): void {
    if (after === null) return
    const { key, id, place } = keyedChange(documentIn(after))
    const places = this.open.get(key) ?? new Map<number, string>()
    this.open.set(key, places)
    places.delete(this.latest.get(id) ?? 0)
    this.latest.set(id, place)
    places.set(place, id)
  }

  private started({ processId, leaseToken, changes }: Delivery): readonly string[] {
    const problems = changes.length === 0 ? [`${processId} was given an empty page`] : []
    const seen = new Map<string, Set<number>>()
    for (const change of changes) {
      const { key, place } = keyedChange(change)
      const inPage = seen.get(key) ?? new Set<number>()
      seen.set(key, inPage)
      const skipped = [...(this.open.get(key)?.keys() ?? [])].find(
        (earlier) => earlier < place && !inPage.has(earlier),
      )
      const on = `${processId} on lease ${leaseToken} was given change ${place} of key ${key}`
      if (skipped !== undefined) problems.push(`${on} before change ${skipped}`)
      if ([...inPage].some((earlier) => earlier > place)) problems.push(`${on} after a later one`)
      inPage.add(place)
    }
    return problems
  }

  /** Checks a checkpoint. Examines only the changes that it adds to the last checkpoint of the lease. */
  private checkpointed({ before, after }: Written): readonly string[] {
    const lease = leaseIn(after)
    if (lease === null) return []
    const earlier = leaseIn(before)
    const from = earlier === null ? 0 : lsnOf(earlier.continuationToken)
    return this.changesIn(lease.feedRange, from, lsnOf(lease.continuationToken)).flatMap(({ key, place }) =>
      this.open.get(key)?.has(place) === true
        ? [
            `I10: the checkpoint of lease ${lease.leaseToken} passes change ${place} of key ${key}, not accepted`,
          ]
        : [],
    )
  }

  private changesIn(range: FeedRange, afterLsn: number, untilLsn: number): readonly KeyedChange[] {
    const container = this.container()
    return container
      .partitionsIn(range)
      .flatMap(
        (partition) =>
          readChanges(container, partition, {
            start: { kind: 'after', lsn: afterLsn },
            range,
            maxItemCount: Number.MAX_SAFE_INTEGER,
          }).versions,
      )
      .filter(({ lsn }) => lsn <= untilLsn)
      .map(({ document }) => keyedChange(document))
  }
}

function keyedChange({ pk, id, place }: Readonly<Record<string, unknown>>): KeyedChange {
  return { key: String(pk), id: String(id), place: Number(place) }
}
