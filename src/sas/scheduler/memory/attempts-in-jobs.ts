import type { Clock, Timer } from '../../../platform/index.js'
import type { JobDocument, StepDocument } from '../../model/documents.js'
import type { StateChange } from '../../model/delivered/state-change.js'
import { shortestInJobMs, type Maker, type Making } from '../../model/planned/begun-attempt.js'
import { begunInJob } from '../../model/planned/planned-steps.js'
import type { AgentsHere } from '../../submission/attempts-in-job.js'
import type { KnownJobs } from './known-jobs.js'

/**
 * The time for which an attempt may be in its job without a document of its step, but at most half of the time that it has.
 * Afterwards the step gets its document.
 */
export const longestInJobMs = 5_000

type Begun = Pick<StepDocument, 'pk' | 'jobId' | 'stepId' | 'priority'>

interface Entry {
  readonly step: Begun
  readonly leaseToken: string
  readonly inJobMs: number
  dueMs: number
  /** The agents of this process, which make the attempt. */
  readonly making: Making
  /** Let the checkpoint go on. */
  readonly releases: (() => void)[]
  /** `pending` until the attempt is known to be written. `refused` if its agents could not start it. */
  state: 'pending' | 'written' | 'started' | 'refused'
  /** Called when the attempt has started, was refused, or is over. */
  readonly onDecided: (() => void)[]
  /** Whether the step gets its document now. */
  isDue: boolean
}

interface AddedBy {
  readonly leaseToken: string
  readonly maker: Maker
  readonly inJobMs: number
}

/**
 * Remembers the attempts that this process makes and that only their jobs have (I46). Each of them ends here: with its outcome,
 * with the document of its step, or with the lease of its range.
 *
 * Until then the checkpoint stays before the job. So if this process dies, the next owner of the range reads the job, does not
 * know the attempt, and writes the document. Before it gives up the range, this process writes the documents itself, and claims the
 * attempts that it makes.
 */
export class AttemptsInJobs {
  private readonly entries = new Map<string, Entry>()
  private timer: Timer | null = null
  /** When the timer ends. */
  private nextMs = Number.POSITIVE_INFINITY

  /**
   * @param isHeld checks whether the scheduler owns the lease
   * @param giveDocument writes the document of the step; rejects if this must be tried again
   */
  constructor(
    private readonly clock: Clock,
    private readonly isHeld: (leaseToken: string) => boolean,
    private readonly giveDocument: (step: Begun, leaseToken: string) => Promise<void>,
  ) {}

  /** Returns the agents with promises that are remembered here before their attempts are written. */
  reserving(agents: AgentsHere, leaseToken: string): AgentsHere {
    const promise: AgentsHere['promise'] = (step, ended) => {
      const leftMs = (step.completeByMs ?? 0) - this.clock.now()
      if (leftMs < shortestInJobMs) return false
      // A submission may come again. The attempt of an earlier one goes on.
      if (this.entries.has(nameOf(step)) || !this.isHeld(leaseToken) || !agents.promise(step, ended))
        return false
      this.add(step, { leaseToken, maker: agents.maker, inJobMs: Math.min(longestInJobMs, leftMs / 2) })
      return true
    }
    const withdraw = (step: StepDocument): void => {
      this.remove(step)
      agents.withdraw(step)
    }
    return { maker: agents.maker, promise, withdraw }
  }

  private add({ pk, jobId, stepId, priority }: Begun, { maker, ...by }: AddedBy): void {
    const step = { pk, jobId, stepId, priority }
    const dueMs = this.clock.monotonic() + by.inJobMs
    const entry: Entry = {
      step,
      ...by,
      dueMs,
      making: { ...maker, sinceMs: this.clock.now() },
      releases: [],
      state: 'pending',
      onDecided: [],
      isDue: false,
    }
    this.entries.set(nameOf(step), entry)
    if (dueMs < this.nextMs) this.setTimer(dueMs)
  }

  /** Notes that the attempt is written. Its agents start it now. */
  written(step: Begun): void {
    const entry = this.entries.get(nameOf(step))
    if (entry?.state === 'pending') entry.state = 'written'
  }

  started(step: Begun): void {
    const entry = this.entries.get(nameOf(step))
    if (entry !== undefined) decide(entry, 'started')
  }

  /** Notes that the attempt has its outcome, that its step has a document, or that it was not written. */
  remove(step: Begun): void {
    const name = nameOf(step)
    const entry = this.entries.get(name)
    if (entry === undefined) return
    this.entries.delete(name)
    for (const release of entry.releases) release()
    decide(entry, entry.state)
    // A timer would keep the process alive.
    if (this.entries.size > 0) return
    this.timer?.cancel()
    this.nextMs = Number.POSITIVE_INFINITY
  }

  /** Returns the ids of the steps of a job whose attempts need no document yet. */
  of(job: JobDocument): ReadonlySet<string> {
    const begun = begunInJob(job).filter((step) => this.entries.get(nameOf(step))?.isDue === false)
    return new Set(begun.map(({ stepId }) => stepId))
  }

  /** Returns the agents of this process that make attempts of a job, by step id. Others must not make these attempts meanwhile. */
  makersOf(job: JobDocument): ReadonlyMap<string, Making> {
    const made = begunInJob(job).flatMap((step): [string, Making][] => {
      const entry = this.entries.get(nameOf(step))
      return entry?.state === 'started' ? [[step.stepId, entry.making]] : []
    })
    return new Map(made)
  }

  /** Keeps the checkpoint before the page of these changes until the attempts in their jobs have ended here. */
  holdFor(changes: readonly StateChange[], known: KnownJobs, hold: () => () => void): void {
    if (this.entries.size === 0) return
    for (const { pk, id, type, _etag } of changes) {
      const job = type === 'sas.job' && typeof pk === 'string' ? known.remembered({ pk, id }) : undefined
      // A newer version comes in a later page.
      if (job?._etag !== _etag) continue
      for (const step of begunInJob(job)) this.entries.get(nameOf(step))?.releases.push(hold())
    }
  }

  /** Gives the step its document now, because its attempt could not start here. */
  giveUp(step: Begun): void {
    const entry = this.entries.get(nameOf(step))
    if (entry === undefined) return
    decide(entry, 'refused')
    this.give(entry)
  }

  /**
   * Returns the attempts of a range that this process makes, with their agents. Waits for those that are written and have not started
   * yet.
   */
  async madeIn(leaseToken: string): Promise<readonly { readonly step: Begun; readonly making: Making }[]> {
    const own = [...this.entries.values()].filter((entry) => entry.leaseToken === leaseToken)
    const undecided = own.filter(({ state }) => state === 'written')
    await Promise.all(
      undecided.map(({ onDecided }) => new Promise<void>((resolve) => void onDecided.push(resolve))),
    )
    return own.filter((entry) => entry.state === 'started' && this.entries.get(nameOf(entry.step)) === entry)
  }

  /** Forgets the attempts of a range. Its next owner writes the documents that they need. */
  forgetLease(leaseToken: string): void {
    for (const entry of this.entries.values()) if (entry.leaseToken === leaseToken) this.remove(entry.step)
  }

  /** Forgets all attempts, because this process stops. */
  stop(): void {
    for (const { step } of this.entries.values()) this.remove(step)
  }

  private setTimer(nextMs: number): void {
    this.timer?.cancel()
    this.nextMs = nextMs
    this.timer = this.clock.schedule(Math.max(0, nextMs - this.clock.monotonic()), () => {
      this.nextMs = Number.POSITIVE_INFINITY
      this.giveDue()
    })
  }

  private giveDue(): void {
    const now = this.clock.monotonic()
    for (const entry of [...this.entries.values()]) {
      if (entry.dueMs > now) continue
      // The step may not get its document now.
      entry.dueMs = now + entry.inJobMs
      // An attempt that is written and has not started yet is looked at again.
      if (entry.state !== 'written') this.give(entry)
    }
    let nextMs = Number.POSITIVE_INFINITY
    for (const { dueMs } of this.entries.values()) nextMs = Math.min(nextMs, dueMs)
    if (nextMs < this.nextMs) this.setTimer(nextMs)
  }

  private give(entry: Entry): void {
    if (entry.isDue) return
    entry.isDue = true
    this.giveDocument(entry.step, entry.leaseToken).then(
      () => {
        if (this.entries.get(nameOf(entry.step)) === entry) this.remove(entry.step)
      },
      () => {
        entry.isDue = false
      },
    )
  }
}

function decide(entry: Entry, state: Entry['state']): void {
  entry.state = state
  for (const onDecided of entry.onDecided.splice(0)) onDecided()
}

function nameOf({ pk, jobId, stepId }: Pick<StepDocument, 'pk' | 'jobId' | 'stepId'>): string {
  return `${pk}\n${jobId}\n${stepId}`
}
