import type { AgentsPosition } from '../waiting/agents-position.js'
import { itemsOperation } from '../plan/item-jobs.js'
import { definitionOf, type Agent } from './agent.js'
import type { LimitedAgent, SlotUsage } from './slots.js'

/** The most characters of each list of agents in a report, because every renewal writes them. */
const mostCharacters = 500

/** The most characters of all names of agents in a lease, because every renewal writes them. */
const mostCharactersOfNames = 1_000

/** What an instance of the role `agents` says about its state in its leases. Lists of many names are cut. */
export interface AgentsReport extends SlotUsage {
  /** The names of agents whose circuit breaker is open. */
  readonly openCircuits: readonly string[]
  /** How far the agents have come in the range of the lease, or null if the report does not say it. */
  readonly position: AgentsPosition | null
}

/**
 * Returns the report for a lease of an instance, without the slots of the agent of Stepward itself. `circuits` are those of its
 * agents, by name.
 */
export function agentsReport(
  { slots, busy, limited }: SlotUsage,
  circuits: ReadonlyMap<string, { readonly isOpen: boolean }>,
  { begunUntilMs, lines }: AgentsPosition,
): Readonly<Record<string, unknown>> {
  const open = [...circuits].flatMap(([name, { isOpen }]) => (isOpen ? [name] : []))
  const parts = {
    openCircuits: fitting(open),
    limited: fitting(limited.filter(({ agent }) => agent !== itemsOperation.actor)),
  }
  const told = Object.entries(parts).filter(([, list]) => list.length > 0)
  const all = [...lines]
  const shown = fitting(all)
  // A line that does not fit lowers `begunUntilMs` to its oldest dispatch. So all later dispatches count as waiting.
  const hidden = all.filter((line) => !shown.includes(line)).map(([, oldestMs]) => oldestMs)
  return {
    slots,
    busy,
    begunUntilMs: Math.min(begunUntilMs, ...hidden),
    ...(shown.length > 0 && { lines: Object.fromEntries(shown) }),
    ...Object.fromEntries(told),
  }
}

/** Returns the entries that fit together. If the room is short, earlier entries get it before later ones. */
function fitting<T>(entries: readonly T[]): readonly T[] {
  let room = mostCharacters
  return entries.filter((entry) => {
    const { length } = JSON.stringify(entry)
    if (length > room) return false
    room -= length
    return true
  })
}

/** Reads the report in a lease. Leaves out what has another form. Returns null if the numbers of slots are missing. */
export function readAgentsReport(report: Readonly<Record<string, unknown>> | null): AgentsReport | null {
  const { slots, busy, openCircuits, limited, begunUntilMs, lines } = report ?? {}
  if (typeof slots !== 'number' || typeof busy !== 'number') return null
  return {
    slots,
    busy,
    openCircuits: listOf(openCircuits).filter((name) => typeof name === 'string'),
    limited: listOf(limited).flatMap(readLimited),
    position: typeof begunUntilMs === 'number' ? { begunUntilMs, lines: linesOf(lines) } : null,
  }
}

function linesOf(value: unknown): ReadonlyMap<string, number> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return new Map(entries.filter((line): line is [string, number] => typeof line[1] === 'number'))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function readLimited(value: unknown): LimitedAgent[] {
  if (typeof value !== 'object' || value === null) return []
  const { agent, slots, busy } = value as Readonly<Record<string, unknown>>
  if (typeof agent !== 'string' || typeof slots !== 'number' || typeof busy !== 'number') return []
  return [{ agent, slots, busy }]
}

/** The names of the agents of an instance, as its leases contain them. Absent if they are too long. */
export interface Serving {
  readonly serves?: readonly string[]
}

/** Returns the names of agents for the leases of their instance, so that operators see which agents run. */
export function announced(agents: readonly Agent[]): Serving {
  const serves = agents.map((agent) => definitionOf(agent).name)
  return serves.join().length > mostCharactersOfNames ? {} : { serves }
}
