import type { Clock } from '../platform/index.js'
import { afterThisTurn } from '../platform/internal.js'
import type { Reader } from '../sas/internal.js'
import {
  bodyOf,
  endedAnswer,
  parsedJson,
  paths,
  signatureHeader,
  signatureOf,
  takenWorkOf,
  unreadIn,
  type AwaitedJob,
  type TakenWork,
  type Unread,
} from './message.js'
import type { Post } from './post.js'
import type { WakeAddress } from './wake-address.js'

/**
 * The shortest time from one message to the next one to the same process, and from one question for ended jobs to the next.
 * It is longer after a message with several hints for a role, waits or ends, because then many more are likely to follow.
 */
const pauseMs = { forNone: 100, forOne: 2, forMany: 10 }

/** A hint that is later than this is no faster than a poll. */
const hintTimeoutMs = 2_000

/** Longer than a process keeps a question for ended jobs open. */
const questionTimeoutMs = 30_000

/** What a process takes is known for this time after its answer. */
const knownMs = 5_000

/** The largest number of awaited jobs in one message. */
const jobsInMessage = 2_000

/** A wait for the end of a job. */
export interface Wait {
  readonly job: AwaitedJob
  /** The physical partition of the job, or null if it is unknown. */
  readonly physicalRangeId: string | null
}

export interface NeighbourParts {
  readonly address: WakeAddress
  /** Names this process in the other process. */
  readonly session: string
  readonly clock: Clock
  readonly post: Post
  /** Called with each job that may have ended. */
  readonly onEnded: (job: AwaitedJob) => void
  /** Called after each answer with the hints that, by this answer, are for another process. */
  readonly onUnread: (address: WakeAddress, unread: Unread) => void
  /** Called when a request failed. Nothing is sent again, because a lost hint costs only a delay. */
  readonly onFailure: (address: WakeAddress, error: unknown) => void
}

/**
 * Another process that takes hints. Gathers the hints for it, and asks it for the ends of awaited jobs as
 * long as there are such jobs.
 *
 * States: idle → sending (a hint) → resting (until the pause is over) → sending, if there are new hints, or
 * idle.
 */
export class Neighbour {
  private readonly waking = new Map<Reader, Set<string> | null>()
  /** How many hints the next message has. */
  private wakes = 0
  private awaited: AwaitedJob[] = []
  /** The waits for whose ends this process asks. */
  readonly waits = new Set<Wait>()
  private isBusy = false
  /** Resolves when the message under way, and the rest after it, are over. */
  private cycle: Promise<void> = Promise.resolve()
  /** Whether this process has answered at all. */
  hasAnswered = false
  private isAsking = false
  private answer: { readonly taken: TakenWork | null; readonly atMs: number } | null = null

  constructor(
    private readonly parts: NeighbourParts,
    private readonly closing: AbortSignal,
  ) {}

  /** Tells the process that a physical partition (null: any) was written for a role. */
  wake(role: Reader, physicalRangeId: string | null): void {
    const ranges = this.waking.get(role)
    if (physicalRangeId === null) this.waking.set(role, null)
    else if (ranges === undefined) this.waking.set(role, new Set([physicalRangeId]))
    else ranges?.add(physicalRangeId)
    this.wakes += 1
    this.send()
  }

  /**
   * The work that the process took at its last answer. Null if the answer is older than 5 s, or did not say it.
   */
  get takes(): TakenWork | null {
    return this.isFresh ? (this.answer?.taken ?? null) : null
  }

  /** Sends a message without hints if the last answer is too old to say which work the process takes. */
  greet(): void {
    if (!this.isFresh) this.send()
  }

  private get isFresh(): boolean {
    return this.answer !== null && this.parts.clock.monotonic() - this.answer.atMs < knownMs
  }

  /** Asks the process for the end of the job, until the wait is deleted from {@link waits}. */
  awaitEnd(wait: Wait): void {
    if (this.waits.has(wait)) return
    this.waits.add(wait)
    this.awaited.push(wait.job)
    this.send()
    this.ask()
  }

  /** Resolves when all hints so far were sent, or could not be sent. */
  async told(): Promise<void> {
    while (this.isBusy) await this.cycle
  }

  private send(): void {
    if (this.isBusy || this.closing.aborted) return
    this.isBusy = true
    this.cycle = this.sending()
      .catch((error: unknown) => this.failed(error))
      .finally(() => {
        this.isBusy = false
        if (this.waking.size > 0 || this.awaited.length > 0) this.send()
      })
  }

  private async sending(): Promise<void> {
    // Lets the writer finish the writes of this moment and begin to wait for their jobs. So one message has all of this.
    await new Promise<void>(afterThisTurn)
    const jobs = this.awaited.splice(0, jobsInMessage)
    const wake = [...this.waking].map(
      ([role, ranges]) => [role, ranges === null ? null : [...ranges]] as const,
    )
    // A write usually gives one hint to each role.
    const gathered = Math.max(jobs.length, this.wakes / Math.max(1, wake.length))
    this.waking.clear()
    this.wakes = 0
    const { session, clock } = this.parts
    const awaited = jobs.length === 0 ? {} : { awaited: { session, jobs } }
    const atMs = clock.monotonic()
    const answer = await this.posted(
      paths.hints,
      { wake: Object.fromEntries(wake), ...awaited },
      hintTimeoutMs,
    )
    this.answer = { taken: takenWorkOf(answer), atMs }
    this.parts.onUnread(this.parts.address, unreadIn(answer))
    await this.rest(atMs, pauseAfter(gathered))
  }

  private ask(): void {
    if (this.isAsking || this.closing.aborted) return
    this.isAsking = true
    const over = (): void => {
      this.isAsking = false
      // A wait may have begun after the last look at the waits.
      if (this.waits.size > 0) this.ask()
    }
    this.asking().then(over, (error: unknown) => {
      this.isAsking = false
      this.failed(error)
    })
  }

  private async asking(): Promise<void> {
    while (this.waits.size > 0 && !this.closing.aborted) {
      const atMs = this.parts.clock.monotonic()
      const answer = await this.posted(paths.ended, { session: this.parts.session }, questionTimeoutMs)
      const { ended } = endedAnswer.parse(parsedJson(answer))
      for (const job of ended) this.parts.onEnded(job)
      // A process that tells nothing at once has too many sessions, or is closing.
      const restMs = ended.length === 0 ? pauseMs.forNone : pauseAfter(ended.length)
      await this.rest(atMs, restMs)
    }
  }

  /** Waits before the next message, so that it has all hints or ends of this time. */
  private rest(sinceMs: number, restMs: number): Promise<void> {
    const { clock } = this.parts
    return clock.sleep(sinceMs + restMs - clock.monotonic(), this.closing)
  }

  private async posted(path: string, content: object, timeoutMs: number): Promise<string> {
    const { address, clock, post } = this.parts
    const body = bodyOf(content, clock.now())
    const headers = { [signatureHeader]: signatureOf(path, body, address.key) }
    const answer = await post({
      origin: address.origin,
      path,
      body,
      headers,
      timeoutMs,
      signal: this.closing,
    })
    this.hasAnswered = true
    return answer
  }

  private failed(error: unknown): void {
    this.waking.clear()
    this.awaited = []
    if (!this.closing.aborted) this.parts.onFailure(this.parts.address, error)
  }
}

function pauseAfter(gathered: number): number {
  return gathered > 1 ? pauseMs.forMany : pauseMs.forOne
}
