import { AwakeTime, sleepOn, StoreClock } from '../platform/internal.js'
import type { Clock, Timer, VirtualClock } from '../platform/index.js'

/** A computer and the errors of its clocks. The computer remains while processes on it start and end. */
export interface Computer {
  readonly name: string
  /**
   * The time in milliseconds by which its wall clock is ahead of the true time. Negative if the clock is
   * behind.
   */
  readonly skewMs: number
  /**
   * The rate, in millionths, by which both of its clocks run faster than true time. Negative if the clocks
   * are slower.
   */
  readonly driftPpm: number
  /**
   * Whether its processes set their clocks by the time in the store's answers, as a host does. Default false.
   */
  readonly isToldTime?: boolean
  /** Whether its processes notice that other processes on it have ended. Default false. */
  readonly seesProcesses?: boolean
}

/**
 * Receives the time in an answer, in milliseconds (rounded down to whole seconds), or null if no answer came.
 */
type Told = (storeMs: number | null) => void

/** The time by which a timer may fire early, in milliseconds, because sums of fractions are not exact. */
const exactMs = 0.001

/**
 * One process, from its start to its end, on a computer of the simulation. The process sees time only through
 * `clock`. Everything from outside, such as timers and answers, runs through `run`.
 *
 * A process is running, paused or crashed. `pause` and `resume` switch between running and paused. While the
 * process is paused, none of its code runs, but time and the network continue, as for a frozen virtual
 * machine or a blocked event loop. After `crash`, no code of the process runs, no request is sent, and open
 * requests never get an answer.
 */
export class SimulatedProcess {
  /** The clock of the units in this process, which the store's answers may correct. */
  readonly clock: Clock
  private readonly storeClock: StoreClock | null
  private state: 'running' | 'paused' | 'crashed' = 'running'
  private held: (() => void)[] = []
  private jumpedMs = 0
  /**
   * The total sleep of the machine in milliseconds. During sleep, the precise clock and the timers stand
   * still, but the time since the start continues.
   */
  private asleepMs = 0
  private stallMs = 0

  /** @param id an id that no other process has, including earlier processes on this computer */
  constructor(
    readonly id: string,
    readonly computer: Computer,
    private readonly time: VirtualClock,
  ) {
    const speed = 1 + computer.driftPpm / 1e6
    const precise = (): number => (time.monotonic() - this.asleepMs) * speed
    const wall = (): number => time.now() + computer.skewMs + this.jumpedMs + time.monotonic() * (speed - 1)
    const awake = new AwakeTime({ precise, sinceStart: () => time.monotonic() * speed, wall })
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
      now: wall,
      monotonic: () => awake.now(),
      sleep: (ms, signal) => sleepOn(schedule, ms, signal),
      schedule,
    }
    this.storeClock = computer.isToldTime === true ? new StoreClock(machine) : null
    this.clock = this.storeClock ?? machine
  }

  /**
   * Records that a request is sent. Returns the function to call with the time that the answer contains, or
   * null if this process does not learn the store's time.
   */
  sent(): Told | null {
    return this.storeClock?.sent() ?? null
  }

  /** Whether the time of the process is exact enough without further answers. */
  get knowsTime(): boolean {
    return this.storeClock?.isSettled ?? true
  }

  get isCrashed(): boolean {
    return this.state === 'crashed'
  }

  get isRunning(): boolean {
    return this.state === 'running'
  }

  /**
   * Runs an action in the process: now if it is running, after the pause if it is paused, and never if it has
   * crashed.
   */
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

  /**
   * Blocks the event loop for this time, after the process decides on its next request and before it sends
   * the request.
   */
  stall(ms: number): void {
    this.stallMs = ms
  }

  /** Returns the stall before this request in milliseconds, or 0 if there is none, and clears the stall. */
  takeStall(): number {
    const { stallMs } = this
    this.stallMs = 0
    return this.state === 'running' ? stallMs : 0
  }

  /**
   * Puts the process's machine to sleep for `ms`. Everything stands still except the wall clock and the
   * network.
   */
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

  /** Changes the wall clock by this time. Only the results of `now` may depend on the wall clock. */
  setWallClock(byMs: number): void {
    this.jumpedMs += byMs
  }
}
