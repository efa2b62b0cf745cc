import { sleepOn } from '../platform/clock.js'
import type { Clock, Timer, VirtualClock } from '../platform/index.js'

/** A computer and how wrong its clocks are. What runs on it comes and goes; this stays. */
export interface Computer {
  readonly name: string
  /** Added to the true time by its wall clock. */
  readonly skewMs: number
  /** How much faster than true time both its clocks run, in millionths; negative for slower. */
  readonly driftPpm: number
}

/**
 * One process, from its start to its end, on a computer of the simulation. It sees time through `clock` only, and
 * everything that reaches it from outside (timers, answers) comes through `run`.
 *
 * States: running ⇄ paused (`pause`, `resume`: nothing runs, but time and the network go on, as in a frozen virtual
 * machine) → crashed (`crash`: nothing ever runs again, no request leaves). What is under way when it crashes is
 * never heard of.
 */
export class SimulatedProcess {
  readonly clock: Clock
  private state: 'running' | 'paused' | 'crashed' = 'running'
  private held: (() => void)[] = []
  private jumpedMs = 0

  /** @param id unlike that of any other process, also of an earlier one on this computer */
  constructor(
    readonly id: string,
    readonly computer: Computer,
    time: VirtualClock,
  ) {
    const speed = 1 + computer.driftPpm / 1e6
    const schedule = (ms: number, action: () => void): Timer => {
      let isCancelled = false
      const timer = time.schedule(ms / speed, () => {
        this.run(() => {
          // One that fell due in a pause may be cancelled by what went on before it.
          if (!isCancelled) action()
        })
      })
      return {
        cancel: () => {
          isCancelled = true
          timer.cancel()
        },
      }
    }
    this.clock = {
      now: () => time.now() + computer.skewMs + this.jumpedMs + time.monotonic() * (speed - 1),
      monotonic: () => time.monotonic() * speed,
      sleep: (ms, signal) => sleepOn(schedule, ms, signal),
      schedule,
    }
  }

  get isCrashed(): boolean {
    return this.state === 'crashed'
  }

  get isRunning(): boolean {
    return this.state === 'running'
  }

  /** Something reaches the process: now, when it goes on, or never. */
  run(action: () => void): void {
    if (this.state === 'running') action()
    else if (this.state === 'paused') this.held.push(action)
  }

  pause(): void {
    if (this.state === 'running') this.state = 'paused'
  }

  /** Goes on, with everything that has come meanwhile at once. */
  resume(): void {
    if (this.state !== 'paused') return
    this.state = 'running'
    const { held } = this
    this.held = []
    for (const action of held) this.run(action)
  }

  crash(): void {
    this.state = 'crashed'
    this.held = []
  }

  /** Somebody sets the computer's wall clock; nothing but `now` may notice. */
  setWallClock(byMs: number): void {
    this.jumpedMs += byMs
  }
}
