import { ConfigurationInvalid } from '../errors.js'
import { askFleet, type FleetRequest, type FleetStatus } from '../fleet/control.js'
import type { ScaleTarget } from './scale-target.js'

/** A role of the fleet that listens at `path`. */
export function localFleet(path: string, role: string): ScaleTarget {
  const wanted = async (request: FleetRequest): Promise<number> => {
    const count = (await fleetStatus(path, request)).wanted[role]
    if (count !== undefined) return count
    throw new ConfigurationInvalid([`the fleet has no role ${JSON.stringify(role)}: see "stepward fleet"`])
  }
  return {
    name: `local ${role}`,
    instances: () => wanted({ command: 'status' }),
    scale: (count) => wanted({ command: 'scale', role, count }),
  }
}

/**
 * What a running fleet answers.
 *
 * @throws FleetNotRunning when there is none, ConfigurationInvalid when it refuses
 */
export async function fleetStatus(path: string, request: FleetRequest): Promise<FleetStatus> {
  const answer = await askFleet(path, request)
  if (answer.kind === 'refused') throw new ConfigurationInvalid([answer.why])
  return answer.status
}
