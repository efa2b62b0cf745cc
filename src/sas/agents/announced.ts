import { definitionOf, type Agent } from './agent.js'

/** The most characters of all names in a lease, because every renewal writes them. */
const mostCharacters = 1_000

/** The names of the agents of an instance, as its leases contain them. Absent if they are too long. */
export interface Serving {
  readonly serves?: readonly string[]
}

/** Returns the names of agents for the leases of their instance, so that operators see which agents run. */
export function announced(agents: readonly Agent[]): Serving {
  const serves = agents.map((agent) => definitionOf(agent).name)
  return serves.join().length > mostCharacters ? {} : { serves }
}
