import { isAborted } from './aborted.js'
import type { Clock } from './clock.js'

/** The options of a {@link BackgroundLoop}. */
export interface BackgroundLoopOptions {
  readonly clock: Clock
  /** Runs one turn. Returns the pause before the next turn, in milliseconds. */
  readonly turn: (signal: AbortSignal) => Promise<number>
  /** Called if a turn throws. Returns the pause before the next turn, in milliseconds. The loop continues. */
  readonly onError: (error: unknown) => number
}

/**
 * Repeats a turn until the loop is stopped.
 *
 * States: idle → running (`start`) → stopping (`stop`) → idle. Turns never overlap. `wake` ends the pause. If
 * a turn is running, `wake` makes the next turn follow immediately. `stop` aborts the signal of the current
 * turn and resolves when that turn has ended, so a turn must not await `stop`. A call of `start` has no
 * effect while the loop is running or stopping. A stopped loop may be started again.
 */
export class BackgroundLoop {
  private stopping = new AbortController()
  private endRest: (() => void) | undefined
  private isWoken = false
  private ended: Promise<void> | undefined

  constructor(private readonly options: BackgroundLoopOptions) {}

  /** Whether the loop is running or stopping. */
  get isRunning(): boolean {
    return this.ended !== undefined
  }

  start(): void {
    if (this.ended !== undefined) return
    this.stopping = new AbortController()
    const { signal } = this.stopping
    // A turn that calls `stop` before its first await must find the loop running, so the turn is delayed.
    this.ended = Promise.resolve().then(() => this.run(signal))
  }

  wake(): void {
    this.isWoken = true
    this.endRest?.()
  }

  async stop(): Promise<void> {
    const ended = this.ended
    if (ended === undefined) return
    this.stopping.abort()
    this.endRest?.()
    await ended
    this.ended = undefined
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!isAborted(signal)) {
      this.isWoken = false
      const restMs = await this.turn(signal)
      await this.rest(restMs, signal)
    }
  }

  private async rest(ms: number, signal: AbortSignal): Promise<void> {
    if (this.isWoken || signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = this.options.clock.schedule(ms, resolve)
      this.endRest = () => {
        timer.cancel()
        resolve()
      }
    })
    this.endRest = undefined
  }

  private async turn(signal: AbortSignal): Promise<number> {
    try {
      return await this.options.turn(signal)
    } catch (error) {
      return this.options.onError(error)
    }
  }
}
