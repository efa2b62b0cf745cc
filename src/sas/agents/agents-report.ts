/** The most characters of the names of agents, because every renewal writes them. */
const mostCharacters = 500

/** What an instance of the role `agents` says about its state in its leases. */
export interface AgentsReport {
  /** The number of handlers that may run at the same time. */
  readonly slots: number
  /** The number of handlers that run. */
  readonly busy: number
  /** The names of agents whose circuit breaker is open. A list of many names is cut. */
  readonly openCircuits: readonly string[]
}

/** Returns the report for the leases of an instance. `circuits` are those of its agents, by name. */
export function agentsReport(
  slots: number,
  busy: number,
  circuits: ReadonlyMap<string, { readonly isOpen: boolean }>,
): Readonly<Record<string, unknown>> {
  let room = mostCharacters
  const openCircuits = [...circuits].flatMap(([name, { isOpen }]) =>
    isOpen && (room -= name.length) >= 0 ? [name] : [],
  )
  return { slots, busy, ...(openCircuits.length === 0 ? {} : { openCircuits }) }
}

/** Reads the report in a lease. Returns null if the owner gave none, or one in another form. */
export function readAgentsReport(report: Readonly<Record<string, unknown>> | null): AgentsReport | null {
  const { slots, busy, openCircuits = [] } = report ?? {}
  if (typeof slots !== 'number' || typeof busy !== 'number' || !isTexts(openCircuits)) return null
  return { slots, busy, openCircuits }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
