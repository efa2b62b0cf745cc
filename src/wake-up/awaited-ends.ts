import type { Clock } from '../platform/index.js'
import type { WakeUps } from '../sas/internal.js'
import type { AwaitedJob } from './message.js'

/** The limits of what this process remembers for others. */
const limits = { sessions: 1_000, jobs: 20_000 }

/** A question is answered after this time, even if no job has ended. */
const longestWaitMs = 20_000

/** A session without a question for this time is forgotten. */
const forgetAfterMs = 60_000

interface Session {
  readonly unsubscribe: Map<string, () => void>
  ended: AwaitedJob[]
  /** Ends the question that waits for an answer. */
  answer: (() => void) | null
  askedAtMs: number
}

/**
 * Remembers for which jobs other processes wait, and answers their questions when such a job ends in this
 * process. An answer says only that it is time to read the job.
 */
export class AwaitedEnds {
  private readonly sessions = new Map<string, Session>()

  constructor(
    private readonly endings: WakeUps,
    private readonly clock: Clock,
  ) {}

  /** Adds jobs to a session, which begins with its first job. */
  add(name: string, jobs: readonly AwaitedJob[]): void {
    this.forgetIdle()
    const session = this.sessions.get(name) ?? this.begun(name)
    if (session === null) return
    for (const [pk, jobId] of jobs) {
      const key = `${pk}\n${jobId}`
      if (session.unsubscribe.has(key) || session.unsubscribe.size >= limits.jobs) continue
      const onEnded = (): void => {
        session.unsubscribe.get(key)?.()
        session.unsubscribe.delete(key)
        session.ended.push([pk, jobId])
        session.answer?.()
      }
      session.unsubscribe.set(key, this.endings.subscribe({ pk, id: jobId, jobId }, onEnded))
    }
  }

  /**
   * Resolves with the jobs of the session that have ended since the last answer.
   *
   * @param signal aborts when the asking process no longer waits for the answer
   */
  async next(name: string, signal: AbortSignal): Promise<readonly AwaitedJob[]> {
    const session = this.sessions.get(name) ?? this.begun(name)
    if (session === null) return []
    session.answer?.()
    session.askedAtMs = this.clock.monotonic()
    if (session.ended.length === 0) {
      const over = new AbortController()
      const answer = (): void => over.abort()
      session.answer = answer
      signal.addEventListener('abort', answer)
      await this.clock.sleep(longestWaitMs, over.signal)
      signal.removeEventListener('abort', answer)
      if (session.answer === answer) session.answer = null
    }
    session.askedAtMs = this.clock.monotonic()
    if (signal.aborted) return []
    return session.ended.splice(0)
  }

  close(): void {
    for (const name of [...this.sessions.keys()]) this.forget(name)
  }

  private begun(name: string): Session | null {
    if (this.sessions.size >= limits.sessions) return null
    const session = { unsubscribe: new Map(), ended: [], answer: null, askedAtMs: this.clock.monotonic() }
    this.sessions.set(name, session)
    return session
  }

  private forgetIdle(): void {
    const oldest = this.clock.monotonic() - forgetAfterMs
    for (const [name, { askedAtMs }] of this.sessions) if (askedAtMs < oldest) this.forget(name)
  }

  private forget(name: string): void {
    const session = this.sessions.get(name)
    this.sessions.delete(name)
    for (const unsubscribe of session?.unsubscribe.values() ?? []) unsubscribe()
    session?.answer?.()
  }
}
