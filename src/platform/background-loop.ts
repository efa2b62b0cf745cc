import type { Clock } from './clock.js'

/** How a {@link BackgroundLoop} works. */
export interface BackgroundLoopOptions {
  readonly clock: Clock
  /** One turn. Answers how long to rest before the next, in milliseconds. */
  readonly turn: (signal: AbortSignal) => Promise<number>
  /** Called when a turn throws; answers how long to rest. The loop goes on. */
  readonly onError: (error: unknown) => number
}

/**
 * Work that repeats until it is stopped.
 *
 * States: idle → running (`start`) → stopping (`stop`) → idle. While running, turns never overlap; `wake` cuts the
 * rest short, or lets the next turn follow at once when one is under way. `stop` aborts the signal handed to the turn
 * and resolves when that turn has ended, so a turn must not await it. Starting a running or stopping loop does nothing;
 * one that has stopped may be started again.
 */
export class BackgroundLoop {
  private stopping = new AbortController()
  private endRest: (() => void) | undefined
  private isWoken = false
  private ended: Promise<void> | undefined

  constructor(private readonly options: BackgroundLoopOptions) {}

  /** Whether turns are being made. */
  get isRunning(): boolean {
    return this.ended !== undefined
  }

  start(): void {
    if (this.ended !== undefined) return
    this.stopping = new AbortController()
    const { signal } = this.stopping
    // Not at once: a first turn that calls `stop` before its first await must find the loop running.
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

/** Read through a function, since the compiler does not know that a signal changes while we wait. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}
