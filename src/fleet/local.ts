import { hostname } from 'node:os'
import { ConfigurationInvalid } from '../connection/index.js'
import { askFleet, type FleetRequest, type FleetStatus } from './control.js'
import type { ScaleTarget } from '../operations/index.js'

/** Returns the name of the fleet of this machine, as decisions about it are recorded. */
export function fleetPlace(): string {
  return `fleet on ${hostname()}`
}

/** Returns a scale target for a role of the fleet that listens at `path`. */
export function localFleet(path: string, role: string): ScaleTarget {
  const wanted = async (request: FleetRequest): Promise<number> => {
    const status = await fleetStatus(path, request)
    const count = status.wanted[role]
    if (count !== undefined) return count
    throw new ConfigurationInvalid([noSuchRole(role, Object.keys(status.wanted))])
  }
  return {
    name: `local ${role}`,
    place: fleetPlace(),
    role,
    instances: () => wanted({ command: 'counts' }),
    scale: (count) => wanted({ command: 'scale', role, count }),
  }
}

/** Explains why a role cannot be scaled separately, and names the alternative. */
function noSuchRole(role: string, running: readonly string[]): string {
  if (running.includes('all')) {
    const why = 'because each process of this fleet has every role (--role all)'
    const advice = 'scale "all", or start the fleet with its roles listed after --role'
    return `role ${JSON.stringify(role)} cannot be scaled alone, ${why}: ${advice}`
  }
  return `this fleet does not run role ${JSON.stringify(role)}: scale one of ${running.join(', ')}`
}

/**
 * Sends a request to a running fleet and returns its status.
 *
 * @throws FleetNotRunning if no fleet listens there, or ConfigurationInvalid if the fleet refuses the request
 */
export async function fleetStatus(path: string, request: FleetRequest): Promise<FleetStatus> {
  const answer = await askFleet(path, request)
  if (answer.kind === 'refused') throw new ConfigurationInvalid([answer.why])
  return answer.status
}
