import type { JobClient } from '../../sas/index.js'
import type { JobFleet } from '../job-fleet.js'
import { Person } from '../person.js'
import type { World } from '../world.js'
import type { Rest } from './rest.js'
import type { Stage } from './stage.js'

/** The longest simulated time in which a request with all its repetitions must end. */
const requestMs = 600_000
/** The longest simulated time for which a job that always has something to do runs on its own. */
const workMs = 3_600_000

/** Lets the time of a stage pass, as far as one step of a test needs. */
export class Play {
  private isTimePassing = false

  constructor(
    private readonly stage: Stage,
    private readonly fleet: JobFleet,
    private readonly rest: Rest,
  ) {
    stage.keepRunning(fleet, () => {
      if (this.isTimePassing) stage.idle.pass()
    })
  }

  get now(): number {
    return this.world.time.now()
  }

  /** Calls `task` as a person with a client, and then lets the jobs run until they only wait. */
  async act(name: string, task: (client: JobClient) => Promise<void>): Promise<void> {
    const person = new Person(this.world, this.fleet, name)
    await this.until(
      new Promise<void>((resolve, reject) => {
        person.insist(task, resolve, reject)
      }),
    )
    await this.settle()
  }

  /** Reads with a client. */
  read<T>(reading: (client: JobClient) => Promise<T>): Promise<T> {
    const process = this.world.process({ name: 'test', skewMs: 0, driftPpm: 0 })
    return this.until(reading(this.fleet.client(process)))
  }

  /** Lets this time pass, and then the jobs run until they only wait. */
  async pass(ms: number): Promise<void> {
    const { stage, world } = this
    let isOver = false
    stage.idle.at(this.now + ms, () => (isOver = true))
    this.isTimePassing = true
    await world.runUntil(() => isOver, ms + requestMs)
    this.isTimePassing = false
    await this.settle()
  }

  private get world(): World {
    return this.stage.world
  }

  private async settle(): Promise<void> {
    this.rest.begin()
    await this.world.runUntil(() => this.rest.isReached, workMs)
  }

  /** Lets time pass until the promise has settled, and returns its value. */
  private async until<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false
    const note = (): void => {
      isSettled = true
    }
    promise.then(note, note)
    const isOver = await this.world.runUntil(() => isSettled, requestMs)
    if (!isOver) throw new Error(this.world.problems[0] ?? `no answer within ${requestMs / 1_000} s`)
    return promise
  }
}
