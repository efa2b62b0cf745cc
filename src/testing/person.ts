import {
  CommandInvalid,
  CommandRefused,
  JobConflict,
  SubmissionInvalid,
  type JobClient,
} from '../sas/index.js'
import type { JobFleet } from './job-fleet.js'
import type { Computer } from './simulated-process.js'
import type { World } from './world.js'

/** The pause between two tries, and between two checks of whether the client process still runs. */
const againAfterMs = 2_000

/**
 * A user with a client. The user repeats a task until it is done or refused. If the process of the last try
 * has crashed, the user starts a new process.
 */
export class Person {
  private readonly computer: Computer

  constructor(
    private readonly world: World,
    private readonly fleet: JobFleet,
    name: string,
    /**
     * The computer whose role process also runs the code of this user. If that process does not run, the code
     * runs in a process of its own.
     */
    private readonly inside: Computer | null = null,
  ) {
    this.computer = { name, skewMs: 0, driftPpm: 0 }
  }

  /**
   * Repeats `task` until it is done or refused, and then calls `over`. If `refused` is given, it is called
   * instead when the task is refused, or is invalid and so can never be done.
   */
  insist(
    task: (client: JobClient) => Promise<void>,
    over: () => void,
    refused?: (error: Error) => void,
  ): void {
    const host = this.inside === null ? null : this.fleet.processOn(this.inside)
    const process = host ?? this.world.process(this.computer)
    let isOver = false
    const end = (then: () => void): void => {
      if (isOver) return
      isOver = true
      then()
    }
    const again = (): void =>
      end(() => void this.world.time.schedule(againAfterMs, () => this.insist(task, over, refused)))
    const look = (): void => {
      if (process.isCrashed) again()
      else if (!isOver) this.world.time.schedule(againAfterMs, look)
    }
    look()
    task(this.fleet.client(process)).then(
      () => end(over),
      (error: unknown) => {
        const isInvalid = error instanceof CommandInvalid || error instanceof SubmissionInvalid
        if (refused !== undefined && (isInvalid || error instanceof CommandRefused)) end(() => refused(error))
        else if (error instanceof CommandRefused) end(over)
        else if (error instanceof JobConflict) this.world.problems.push(`I1: ${error.message}`)
        else again()
      },
    )
  }
}
