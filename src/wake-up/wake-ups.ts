import type { FeedHints } from '../change-feed-processor/internal.js'
import type { Clock } from '../platform/index.js'
import type { Processes } from '../platform/internal.js'
import { readers, type EndHints, type JobAddress, type Reader } from '../sas/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { WakeDirectory, type ListLeases } from './directory.js'
import type { AwaitedJob, HintMessage, TakenWork, Unread } from './message.js'
import { Neighbour, type Wait } from './neighbour.js'
import type { Post } from './post.js'
import { WaitsElsewhere } from './waits-elsewhere.js'
import { wakeAddressOf, type WakeAddress } from './wake-address.js'

/** A process that did not answer gets no hints for this time. */
const avoidedMs = 30_000

export interface WakeUpOptions {
  /** The hints of this process. Each hint for a role is sent on to the process that reads for this role. */
  readonly hints: FeedHints
  readonly list: ListLeases
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly processes: Pick<Processes, 'own' | 'isNeighbour'>
  /** Names this process in other processes. No other process has this name. */
  readonly session: string
  readonly post: Post
}

/**
 * Sends the hints of this process to other processes, and learns from them when awaited jobs end. All of
 * this only makes reads earlier (D10). A hint that cannot be sent is dropped.
 */
export class WakeUpsOfOthers implements EndHints {
  private readonly neighbours = new Map<string, Neighbour>()
  private readonly avoidedUntil = new Map<string, number>()
  private readonly listeners = new Map<string, Set<() => void>>()
  private readonly directory: WakeDirectory
  private readonly waits: WaitsElsewhere
  private readonly closing = new AbortController()
  private readonly unsubscribe: readonly (() => void)[]
  /** The searches for the processes that get a hint. */
  private readonly searches = new Set<Promise<void>>()
  private own: string | null = null
  private isReceiving = false

  constructor(private readonly options: WakeUpOptions) {
    const { hints, list, clock, processes } = options
    this.directory = new WakeDirectory(list, clock, processes)
    this.waits = new WaitsElsewhere({
      directory: this.directory,
      clock,
      neighbour: (address) => this.neighbour(address),
      isOwn: ({ origin }) => origin === this.own,
      closing: this.closing.signal,
    })
    this.unsubscribe = readers.map((role) =>
      hints.part(role).subscribe((physicalRangeId) => {
        if (!this.isReceiving) this.wake(role, physicalRangeId)
      }),
    )
  }

  /** Sets the address of this process, so that it sends no hints to itself. */
  ownAddressIs(address: string): void {
    this.own = wakeAddressOf(address)?.origin ?? null
  }

  /**
   * Passes hints of another process to the readers here, without sending them on. Returns the hints about ranges that this
   * process does not read.
   */
  receive({ wake }: Pick<HintMessage, 'wake'>): Unread {
    this.isReceiving = true
    const unread: Unread = {}
    try {
      for (const role of readers) {
        const ranges = wake[role]
        const part = this.options.hints.part(role)
        if (ranges === null) part.notify(null)
        const wrong = (ranges ?? []).filter((id) => !part.notify(id))
        if (wrong.length > 0) unread[role] = wrong
      }
      return unread
    } finally {
      this.isReceiving = false
    }
  }

  subscribe(job: JobAddress, physicalRangeId: string | null, onHint: () => void): () => void {
    const key = `${job.pk}\n${job.jobId}`
    const listeners = this.listeners.get(key) ?? new Set()
    this.listeners.set(key, listeners.add(onHint))
    const wait: Wait = { job: [job.pk, job.jobId], physicalRangeId }
    this.waits.add(wait)
    return () => {
      listeners.delete(onHint)
      if (listeners.size === 0) this.listeners.delete(key)
      this.waits.end(wait, this.neighbours.values())
    }
  }

  /**
   * Returns the name of a scheduler that takes jobs, if every process of the schedulers and of the agents has
   * answered in the last 5 s that it takes work. Otherwise returns null, and asks them for the next time.
   */
  takingScheduler(): string | null {
    const schedulers = this.taken('scheduler')
    const agents = this.taken('agents')
    if (schedulers === null || agents?.every((taken) => taken.agents) !== true) return null
    const names = schedulers.map(({ scheduler }) => scheduler)
    return names.includes(null) ? null : (names[0] ?? null)
  }

  /** Resolves when the hints of this process have been sent, or could not be sent. */
  async told(): Promise<void> {
    await Promise.all(this.searches)
    await Promise.all([...this.neighbours.values()].map((neighbour) => neighbour.told()))
  }

  close(): void {
    this.closing.abort()
    for (const end of this.unsubscribe) end()
  }

  /** Returns what each process of a role takes. Null if one of them has not said it lately. */
  private taken(role: Reader): readonly TakenWork[] | null {
    const addresses = this.directory.complete(role)
    if (addresses === null) this.withNeighbours(role, null, (neighbour) => neighbour.greet())
    const answers = addresses?.map((address) => {
      const neighbour = this.neighbour(address)
      neighbour?.greet()
      return neighbour?.takes ?? null
    })
    return answers?.every((taken) => taken !== null) === true ? answers : null
  }

  private wake(role: Reader, physicalRangeId: string | null): void {
    this.withNeighbours(role, physicalRangeId, (neighbour) => neighbour.wake(role, physicalRangeId))
  }

  private withNeighbours(role: Reader, rangeId: string | null, use: (neighbour: Neighbour) => void): void {
    const forEach = (addresses: readonly WakeAddress[]): void => {
      for (const address of addresses) {
        const neighbour = this.neighbour(address)
        if (neighbour !== null) use(neighbour)
      }
    }
    const known = this.directory.known(role, rangeId)
    if (known !== null) {
      forEach(known)
      return
    }
    const search = this.directory.addressesOf(role, rangeId).then(forEach, () => undefined)
    this.searches.add(search)
    const end = (): void => void this.searches.delete(search)
    search.then(end, end)
  }

  /** Returns the process at an address, or null if it is this process or did not answer lately. */
  private neighbour(address: WakeAddress): Neighbour | null {
    if (address.origin === this.own || this.closing.signal.aborted) return null
    const id = `${address.origin}#${address.key}`
    const { clock, session, post } = this.options
    if (clock.monotonic() < (this.avoidedUntil.get(id) ?? 0)) return null
    const known = this.neighbours.get(id)
    if (known !== undefined) return known
    const parts = {
      address,
      session,
      clock,
      post,
      onEnded: (job: AwaitedJob) => this.heard(job),
      onUnread: (of: WakeAddress, unread: Unread) => this.redirect(of, unread),
      onFailure: (of: WakeAddress, error: unknown) => this.failed(of, error),
    }
    const neighbour = new Neighbour(parts, this.closing.signal)
    this.neighbours.set(id, neighbour)
    return neighbour
  }

  /** Sends hints that came to the wrong process to the one that reads their range now. */
  private redirect(address: WakeAddress, unread: Unread): void {
    for (const role of readers) {
      const moved = (unread[role] ?? []).filter((id) => this.directory.hasMoved(role, id, address))
      if (moved.length === 0) continue
      if (role === 'scheduler') this.waits.moved(this.neighbour(address), moved)
      const wakeAll = (): void => {
        for (const id of moved) this.wake(role, id)
      }
      const { clock } = this.options
      clock.sleep(this.directory.listableInMs(role), this.closing.signal).then(wakeAll, () => undefined)
    }
  }

  private heard([pk, jobId]: AwaitedJob): void {
    for (const listener of [...(this.listeners.get(`${pk}\n${jobId}`) ?? [])]) listener()
  }

  private failed(address: WakeAddress, error: unknown): void {
    const id = `${address.origin}#${address.key}`
    const neighbour = this.neighbours.get(id)
    if (neighbour === undefined) return
    this.neighbours.delete(id)
    const { clock, telemetry } = this.options
    const now = clock.monotonic()
    for (const [other, until] of this.avoidedUntil) if (until < now) this.avoidedUntil.delete(other)
    this.avoidedUntil.set(id, now + avoidedMs)
    this.directory.distrust(address)
    telemetry.emit({ type: 'wakeUp.failed', origin: address.origin, error })
    this.waits.failed(neighbour)
  }
}
