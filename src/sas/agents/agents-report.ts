import { itemsOperation } from '../plan/item-jobs.js'
import type { LimitedAgent, SlotUsage } from './slots.js'

/** The most characters of each list of agents, because every renewal writes them. */
const mostCharacters = 500

/** What an instance of the role `agents` says about its state in its leases. Lists of many names are cut. */
export interface AgentsReport extends SlotUsage {
  /** The names of agents whose circuit breaker is open. */
  readonly openCircuits: readonly string[]
  /**
   * The time of the oldest dispatch whose step may wait for these agents, in milliseconds since the epoch by the store's
   * clock. Null if no step waits.
   */
  readonly waitingSinceMs: number | null
}

/**
 * Returns the report for the leases of an instance, without the agent of Stepward itself. `circuits` are those of its agents,
 * by name.
 */
export function agentsReport(
  { slots, busy, limited }: SlotUsage,
  circuits: ReadonlyMap<string, { readonly isOpen: boolean }>,
  waitingSinceMs: number | null = null,
): Readonly<Record<string, unknown>> {
  const open = [...circuits].flatMap(([name, { isOpen }]) => (isOpen ? [name] : []))
  const parts = {
    openCircuits: fitting(open),
    limited: fitting(limited.filter(({ agent }) => agent !== itemsOperation.actor)),
  }
  const told = Object.entries(parts).filter(([, list]) => list.length > 0)
  return { slots, busy, ...(waitingSinceMs !== null && { waitingSinceMs }), ...Object.fromEntries(told) }
}

/** Returns the entries that have room together. If the room is short, the first entries get it. */
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
  const { slots, busy, openCircuits, limited, waitingSinceMs } = report ?? {}
  if (typeof slots !== 'number' || typeof busy !== 'number') return null
  return {
    slots,
    busy,
    openCircuits: listOf(openCircuits).filter((name) => typeof name === 'string'),
    limited: listOf(limited).flatMap(readLimited),
    waitingSinceMs: typeof waitingSinceMs === 'number' ? waitingSinceMs : null,
  }
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
