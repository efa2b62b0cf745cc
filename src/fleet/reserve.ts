import type { ChildProcess } from 'node:child_process'
import type { Clock, Timer } from '../platform/index.js'
import { tell, type Begin, type ToParent } from './instance.js'

/**
 * The time from the start of the last instance to the start of the reserve, so that loading the program does not
 * take processor time from an instance that has just begun to work.
 */
export const reserveAfterMs = 5_000

/** The part of a child process that the reserve uses. */
type Child = Pick<ChildProcess, 'connected' | 'send' | 'on' | 'once' | 'off' | 'kill'>

/**
 * A process that has loaded the program and waits for a role. Loading is most of the time between the end of a
 * process and the first work of its successor, and a process in reserve has already done it.
 *
 * States: empty → due (`prepare`) → loading → loaded → empty (`take`). Empty again if the process ends. Closed for
 * good by `close`.
 */
export class Reserve<C extends Child> {
  private timer: Timer | null = null
  private child: C | null = null
  private isLoaded = false
  private isClosed = false

  constructor(
    private readonly start: () => C,
    private readonly clock: Clock,
  ) {}

  /** Starts a process after a pause, unless there is one. Another call begins the pause again. */
  prepare(): void {
    this.timer?.cancel()
    if (this.isClosed || this.child !== null) return
    this.timer = this.clock.schedule(reserveAfterMs, () => this.load())
  }

  /** Returns the process, which begins with the role, or null if no process has loaded the program. */
  take(begin: Omit<Begin, 'ask'>): C | null {
    const { child } = this
    if (child === null || !this.isLoaded || !child.connected) return null
    this.child = null
    child.off('exit', this.ended).off('error', this.ended)
    tell(child, { ask: 'begin', ...begin })
    return child
  }

  close(): void {
    this.isClosed = true
    this.timer?.cancel()
    this.child?.kill('SIGKILL')
  }

  private load(): void {
    const child = this.start()
    this.child = child
    this.isLoaded = false
    // A process that could not be started is as good as none.
    child.on('error', this.ended)
    child.once('exit', this.ended)
    child.on('message', ({ say }: ToParent) => {
      if (say === 'loaded') this.isLoaded = true
    })
  }

  private readonly ended = (): void => {
    this.child = null
  }
}
