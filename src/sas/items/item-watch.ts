import type { Clock } from '../../platform/index.js'
import { beginPause } from '../../platform/internal.js'
import type { EndHints, JobAddress, WakeUps } from '../in-process/job-endings.js'
import type { JobDocument } from '../model/documents.js'
import { restOfItemMs, type UsualItem } from './item-pace.js'

/** The ways in which a process hears that an item has ended. Without any, items are only read. */
export interface ItemEndings {
  /** Reports the ends of jobs of this process, or of all processes if the store knows them. */
  readonly wakeUps?: WakeUps | undefined
  /** Tells when an item that another process drives may have ended. */
  readonly endHints?: EndHints | undefined
}

interface Watched {
  /** The time of the submission, in milliseconds since the epoch. */
  submittedAtMs: number
  /** The time of the last look, from which the pause before the next read counts. Null: read it now. */
  lookedAtMs: number | null
  ends: (() => void)[]
}

/**
 * The items of one round that are under way. It hears of their ends until it is closed, and knows which items are
 * due to be read because their end may have been missed.
 */
export class ItemWatch {
  private readonly items = new Map<number, Watched>()
  private heard = new Map<number, JobDocument>()
  private endRest: (() => void) | null = null

  constructor(
    private readonly clock: Clock,
    private readonly endings: ItemEndings,
    private readonly usual: () => UsualItem | null,
  ) {}

  /** Begins to listen for the end of an item. It is read at once, unless it is new. */
  add(index: number, job: JobAddress): void {
    if (this.items.has(index)) return
    const onEnd = this.endings.wakeUps?.subscribe(job, ({ job: ended }) => {
      this.heard.set(index, ended)
      this.endRest?.()
    })
    this.items.set(index, {
      submittedAtMs: this.clock.now(),
      lookedAtMs: null,
      ends: onEnd === undefined ? [] : [onEnd],
    })
  }

  /** Says that this process has just created the job of the item, so that its first read can wait. */
  isNew(index: number, job: JobAddress, physicalRangeId: string | null): void {
    const now = this.clock.now()
    this.looked(index, now)
    const onHint = (): void => {
      const item = this.items.get(index)
      if (item !== undefined) item.lookedAtMs = null
      this.endRest?.()
    }
    const end = this.endings.endHints?.subscribe(job, physicalRangeId, onHint)
    if (end !== undefined) this.items.get(index)?.ends.push(end)
  }

  /** Says that the item was read and had not ended. */
  looked(index: number, submittedAtMs: number): void {
    const item = this.items.get(index)
    if (item === undefined) return
    const now = this.clock.now()
    item.submittedAtMs = Math.min(now, submittedAtMs)
    item.lookedAtMs = now
  }

  remove(index: number): void {
    for (const end of this.items.get(index)?.ends ?? []) end()
    this.items.delete(index)
    this.heard.delete(index)
  }

  /** Returns the ends that were reported since the last call. */
  takeHeard(): ReadonlyMap<number, JobDocument> {
    const { heard } = this
    this.heard = new Map()
    return heard
  }

  /** Returns the items to read now. */
  due(): readonly number[] {
    const now = this.clock.now()
    const usual = this.usual()
    return [...this.items].filter(([, item]) => dueAtMs(item, usual) <= now).map(([index]) => index)
  }

  /** Resolves when an end is reported or hinted, when an item is due to be read, at `untilMs`, or with the signal. */
  async rest(untilMs: number, signal: AbortSignal): Promise<void> {
    const usual = this.usual()
    let wakeAtMs = untilMs
    for (const item of this.items.values()) wakeAtMs = Math.min(wakeAtMs, dueAtMs(item, usual))
    const restMs = wakeAtMs - this.clock.now()
    if (this.heard.size > 0 || restMs <= 0 || signal.aborted) return
    const pause = beginPause(this.clock, restMs, signal)
    this.endRest = pause.end
    await pause.over
    this.endRest = null
  }

  close(): void {
    for (const index of [...this.items.keys()]) this.remove(index)
  }
}

function dueAtMs({ submittedAtMs, lookedAtMs }: Watched, usual: UsualItem | null): number {
  return lookedAtMs === null ? 0 : lookedAtMs + restOfItemMs(lookedAtMs - submittedAtMs, usual)
}
