import { seededRandom } from '../../platform/index.js'
import type { Agent } from '../../sas/index.js'
import type { Place } from '../fault-place.js'
import { Faults, type PlannedFault } from '../faults.js'
import { JobFleet, roles, stateContainer, type Role } from '../job-fleet.js'
import type { Computer } from '../simulated-process.js'
import { World } from '../world.js'
import { IdleTime } from './idle-time.js'

const restartAfterMs = 5_000
const timing = {
  leaseAcquireInterval: 3_400,
  leaseExpirationInterval: 12_000,
}
const sweepIntervalMs = 6_000

const computers: ReadonlyMap<Computer, Role> = new Map(
  roles.map((role) => [{ name: `${role}-host`, skewMs: 0, driftPpm: 0 }, role]),
)

/** A world for one job of a workflow, with one host for each role and with these faults. */
export class Stage {
  readonly world: World
  readonly idle: IdleTime

  /** @param places a list to which every requested write is added */
  constructor(planned: readonly PlannedFault[], places: Place[] = []) {
    const faults = new Faults({ random: seededRandom(1), planned, seen: places })
    this.world = new World({ seed: 1, isHashed: false, fateOf: (request) => faults.fateOf(request) })
    this.idle = new IdleTime(this.world.time, stateContainer)
  }

  /** Starts the hosts. The agents run in the process of their role. */
  open(agents: readonly Agent[]): JobFleet {
    const fleet = new JobFleet(this.world, {
      agents: () => agents,
      rolesOn: (computer) => [computers.get(computer) ?? 'scheduler'],
      timing,
      sweepIntervalMs,
    })
    this.world.watch(this.idle)
    for (const computer of computers.keys()) fleet.start(computer)
    return fleet
  }

  /** Restarts crashed processes, and calls `look` again and again. */
  keepRunning(fleet: JobFleet, look: () => void): void {
    look()
    for (const computer of computers.keys()) if (fleet.processOn(computer) === null) fleet.start(computer)
    this.world.time.schedule(restartAfterMs, () => this.keepRunning(fleet, look))
  }
}
