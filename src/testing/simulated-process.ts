import { AwakeTime, sleepOn, StoreClock } from '../platform/internal.js'
import type { Clock, Timer, VirtualClock } from '../platform/index.js'

/** A computer and the errors of its clocks. It stays the same while its processes start and end. */
export interface Computer {
  readonly name: string
  /** Added to the true time by its wall clock. */
  readonly skewMs: number
  /** How much faster than true time both its clocks run, in millionths. Negative if slower. */
  readonly driftPpm: number
  /** Whether its processes take their time from the store's answers, as a host does. Default false. */
  readonly isToldTime?: boolean
}

/** Receives the time in an answer, in milliseconds and whole seconds; null if no answer came. */
type Told = (storeMs: number | null) => void

/** How early a timer may fire, because sums of fractions are not exact. */
const exactMs = 0.001

/**
 * One process, from its start to its end, on a computer of the simulation. It sees time only through `clock`,
 * and everything from outside (timers, answers) reaches it through `run`.
 *
 * A process is running, paused or crashed. `pause` and `resume` switch between the first two. While it is
 * paused, nothing runs, but time and the network continue, as in a frozen virtual machine or with a blocked
 * event loop. After `crash` nothing runs again and no request leaves. Requests under way at a crash never get
 * an answer.
 */
export class SimulatedProcess {
  /** The clock of its units: that of the machine, or one that the store's answers correct. */
  readonly clock: Clock
  private readonly storeClock: StoreClock | null
  private state: 'running' | 'paused' | 'crashed' = 'running'
  private held: (() => void)[] = []
  private jumpedMs = 0
  /**
   * How long its machine slept. The precise clock and timers stood still then, but the time since the start
   * did not.
   */
  private asleepMs = 0
  private stallMs = 0

  /** @param id differs from that of any other process, including earlier ones on this computer */
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
            // An earlier action may have cancelled a timer that fell due in a pause.
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

  /** Notes that a request leaves. Returns a function for the time in its answer. */
  sent(): Told | null {
    return this.storeClock?.sent() ?? null
  }

  /** Whether the process knows the time without further answers. */
  get knowsTime(): boolean {
    return this.storeClock?.isSettled ?? true
  }

  get isCrashed(): boolean {
    return this.state === 'crashed'
  }

  get isRunning(): boolean {
    return this.state === 'running'
  }

  /** Runs an action in the process: now, after a pause, or never if it has crashed. */
  run(action: () => void): void {
    if (this.state === 'running') action()
    else if (this.state === 'paused') this.held.push(action)
  }

  pause(): void {
    if (this.state === 'running') this.state = 'paused'
  }

  /** Resumes the process and runs everything that arrived during the pause. */
  resume(): void {
    if (this.state !== 'paused') return
    this.state = 'running'
    const { held } = this
    this.held = []
    for (const action of held) this.run(action)
  }

  /** Blocks the event loop for this long before the next request, which is then decided but not yet sent. */
  stall(ms: number): void {
    this.stallMs = ms
  }

  /** Returns and clears the stall for this request, in milliseconds, or 0. */
  takeStall(): number {
    const { stallMs } = this
    this.stallMs = 0
    return this.state === 'running' ? stallMs : 0
  }

  /** Lets its machine sleep for this long. Everything stands still except the wall clock and the network. */
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

  /** Changes the computer's wall clock. Only `now` may be affected. */
  setWallClock(byMs: number): void {
    this.jumpedMs += byMs
  }
}
