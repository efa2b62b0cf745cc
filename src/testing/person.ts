import { CommandRefused, JobConflict, type JobClient } from '../sas/index.js'
import type { JobFleet } from './job-fleet.js'
import type { Computer } from './simulated-process.js'
import type { World } from './world.js'

/** Between two tries, and between two looks at whether the client still lives. */
const againAfterMs = 2_000

/**
 * Somebody with a client: tries until what is wanted is done, or refused, each time in a new process where the last
 * one has crashed.
 */
export class Person {
  private readonly computer: Computer

  constructor(
    private readonly world: World,
    private readonly fleet: JobFleet,
    name: string,
    /** Where this person's own code runs beside the roles, while they run there; else in a process of its own. */
    private readonly inside: Computer | null = null,
  ) {
    this.computer = { name, skewMs: 0, driftPpm: 0 }
  }

  /** Calls `over` when it is done, or when there is nothing to be done. */
  insist(task: (client: JobClient) => Promise<void>, over: () => void): void {
    const host = this.inside === null ? null : this.fleet.processOn(this.inside)
    const process = host ?? this.world.process(this.computer)
    let isOver = false
    const end = (then: () => void): void => {
      if (isOver) return
      isOver = true
      then()
    }
    const again = (): void =>
      end(() => void this.world.time.schedule(againAfterMs, () => this.insist(task, over)))
    const look = (): void => {
      if (process.isCrashed) again()
      else if (!isOver) this.world.time.schedule(againAfterMs, look)
    }
    look()
    task(this.fleet.client(process)).then(
      () => end(over),
      (error: unknown) => {
        if (error instanceof CommandRefused) end(over)
        else if (error instanceof JobConflict) this.world.problems.push(`I1: ${error.message}`)
        else again()
      },
    )
  }
}
