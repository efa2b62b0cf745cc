import { AwakeTime } from '../platform/awake-time.js'
import { sleepOn } from '../platform/clock.js'
import { StoreClock, type Clock, type Timer, type VirtualClock } from '../platform/index.js'

/** A computer and how wrong its clocks are. What runs on it comes and goes; this stays. */
export interface Computer {
  readonly name: string
  /** Added to the true time by its wall clock. */
  readonly skewMs: number
  /** How much faster than true time both its clocks run, in millionths; negative for slower. */
  readonly driftPpm: number
  /** Whether its processes take their time from the store's answers, as a host does. Default: false. */
  readonly isToldTime?: boolean
}

/** Called with the second that an answer names, in milliseconds; null if no answer came. */
type Told = (storeMs: number | null) => void

/** How early a timer may fire and still be in time, because sums of fractions are never exact. */
const exactMs = 0.001

/**
 * One process, from its start to its end, on a computer of the simulation. It sees time through `clock` only, and
 * everything that reaches it from outside (timers, answers) comes through `run`.
 *
 * States: running ⇄ paused (`pause`, `resume`: nothing runs, but time and the network go on, as in a frozen virtual
 * machine, or while the event loop stands still) → crashed (`crash`: nothing ever runs again, no request leaves).
 * Requests that are under way at a crash never get an answer.
 */
export class SimulatedProcess {
  /** The clock of its units: the machine's, or one that the store's answers correct. */
  readonly clock: Clock
  private readonly storeClock: StoreClock | null
  private state: 'running' | 'paused' | 'crashed' = 'running'
  private held: (() => void)[] = []
  private jumpedMs = 0
  /** How long its machine slept. The precise clock and timers stood still then; the time since the start did not. */
  private asleepMs = 0
  private stallMs = 0

  /** @param id unlike that of any other process, also of an earlier one on this computer */
  constructor(
    readonly id: string,
    readonly computer: Computer,
    private readonly time: VirtualClock,
  ) {
    const speed = 1 + computer.driftPpm / 1e6
    const precise = (): number => (time.monotonic() - this.asleepMs) * speed
    const awake = new AwakeTime(precise, () => time.monotonic() * speed)
    const schedule = (ms: number, action: () => void): Timer => {
      const dueMs = precise() + ms
      let isCancelled = false
      let timer: Timer
      const arm = (leftMs: number): void => {
        timer = time.schedule(leftMs / speed, () => {
          this.run(() => {
            // A timer that fell due in a pause may be cancelled by an earlier action.
            if (isCancelled) return
            const stillMs = dueMs - precise()
            if (stillMs > exactMs) arm(stillMs)
            else action()
          })
        })
      }
      arm(ms)
      return {
        cancel: () => {
          isCancelled = true
          timer.cancel()
        },
      }
    }
    const machine: Clock = {
      now: () => time.now() + computer.skewMs + this.jumpedMs + time.monotonic() * (speed - 1),
      monotonic: () => awake.now(),
      sleep: (ms, signal) => sleepOn(schedule, ms, signal),
      schedule,
    }
    this.storeClock = computer.isToldTime === true ? new StoreClock(machine) : null
    this.clock = this.storeClock ?? machine
  }

  /** Notes that a request leaves. */
  sent(): Told | null {
    return this.storeClock?.sent() ?? null
  }

  /** Whether it knows the time without further answers. */
  get knowsTime(): boolean {
    return this.storeClock?.isSettled ?? true
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

  /** Blocks the event loop for this long when the next request is about to leave: decided, but not yet sent. */
  stall(ms: number): void {
    this.stallMs = ms
  }

  /** Takes the stall that begins with this request, in milliseconds, or 0. */
  takeStall(): number {
    const { stallMs } = this
    this.stallMs = 0
    return this.state === 'running' ? stallMs : 0
  }

  /** Lets its machine sleep for this long: everything stands still except the wall clock and the network. */
  sleepMachine(ms: number): void {
    if (this.state !== 'running') return
    this.pause()
    this.time.schedule(ms, () => {
      this.asleepMs += ms
      this.resume()
    })
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
