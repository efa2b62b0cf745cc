import type { Agent } from '../../sas/index.js'
import { agentOperations, calledOperations, type Planned } from '../../sas/internal.js'

/**
 * Refuses a simulation whose steps would wait for an agent that does not exist, until their deadlines pass.
 *
 * @throws RangeError with the names of the missing agents and operations
 */
export function refuseMissing(caller: string, { plan }: Planned, agents: readonly Agent[]): void {
  const known = new Map(agents.map(agentOperations).map(({ name, operations }) => [name, operations]))
  const missing = calledOperations(plan).flatMap(({ stepId, actor, action }) => {
    const operations = known.get(actor)
    if (operations?.includes(action) === true) return []
    const what = operations === undefined ? `no agent ${actor}` : `agent ${actor} has no operation ${action}`
    return [`step ${stepId} calls ${actor}.${action}, but ${what}`]
  })
  if (missing.length === 0) return
  throw new RangeError(`${caller}: ${[...new Set(missing)].join('; ')}: return every agent of the workflow`)
}
