import { AsyncLocalStorage } from 'node:async_hooks'
import type { Telemetry } from '../../telemetry/index.js'
import type { Clock } from '../../platform/index.js'

/** The requests of one kind, and their request units. */
export interface ChargeRow {
  readonly operation: string
  readonly requests: number
  readonly charge: number
}

/** The requests of one part of a process, such as a role, and their request units. */
export interface UserRow {
  readonly user: string
  readonly requests: number
  readonly charge: number
}

/** What a process has used since a time. */
export interface ChargeReport {
  readonly since: string
  readonly rows: readonly ChargeRow[]
  readonly users: readonly UserRow[]
}

/** Adds up the request units of this server's requests to the state container. */
export class Charges implements Telemetry {
  private readonly asking = new AsyncLocalStorage<{ charge: number }>()
  private readonly rows = new Map<string, ChargeRow>()
  readonly since: string

  constructor(clock: Pick<Clock, 'now'>) {
    this.since = new Date(clock.now()).toISOString()
  }

  emit(event: Parameters<Telemetry['emit']>[0]): void {
    if (event.type !== 'store.charged') return
    const { operation } = event
    const present = this.asking.getStore()
    if (present !== undefined) present.charge += event.charge
    const { requests = 0, charge = 0 } = this.rows.get(operation) ?? {}
    this.rows.set(operation, { operation, requests: requests + 1, charge: charge + event.charge })
  }

  /** Carries out some work, and returns also the request units of its own requests. */
  async summed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly charge: number }> {
    const sum = { charge: 0 }
    const value = await this.asking.run(sum, work)
    return { value, charge: sum.charge }
  }

  /** Returns the kinds of requests, the most expensive first. */
  list(): readonly ChargeRow[] {
    return [...this.rows.values()].sort((one, other) => other.charge - one.charge)
  }
}
