import { CosmosLeaseStore } from '../../lease-store/index.js'
import { CosmosChangeFeed, type FeedHints } from '../change-feed-processor/index.js'
import type { Clock } from '../platform/index.js'
import {
  createAgents,
  createNotifier,
  createScheduler,
  createSupervisor,
  type Agent,
  type CosmosStateStore,
  type JobEndings,
  type Shortcut,
  type Unit,
  type UnitOptions,
  type UnitTiming,
} from '../sas/index.js'
import type { Telemetry } from '../telemetry/index.js'
import { charging } from '../connection/connect.js'
import type { Containers } from '../connection/containers.js'
import { notifying, type NotifyingSettings } from './notifying.js'
import { processorNameOf, type Role } from '../connection/role.js'

/** How the roles of a host work. */
export interface UnitSettings extends NotifyingSettings {
  /** The agents whose handlers run here; needed by the role `agents`. */
  readonly agents?: readonly Agent[]
  /** The processor names are this and the role: hosts with the same prefix and containers work together. Default `stepward`. */
  readonly unitPrefix?: string
  /**
   * Whether the agents here should take work; asked often, so it must know rather than ask. While it answers false or
   * throws, this instance gives its leases of the agents back and others do the work. Default: always true.
   */
  readonly isHealthy?: () => boolean
  /** Intervals of the change feed processors. */
  readonly timing?: UnitTiming
  /** Handlers that run at once. Default 16. */
  readonly slots?: number
  /** How often overdue steps are asked for, in milliseconds. Default 30,000. */
  readonly sweepIntervalMs?: number
  /** How long after a deadline it is acted upon, in milliseconds. Default 2,000. */
  readonly deadlineGraceMs?: number
  /** How long handlers may go on when the host stops, in milliseconds. Default 3,000. */
  readonly stopBudgetMs?: number
}

/** What the units of a host share. */
export interface UnitParts {
  readonly settings: UnitSettings
  readonly containers: Containers
  readonly store: CosmosStateStore
  readonly instanceName: string
  readonly telemetry: Telemetry
  readonly hints: FeedHints
  readonly shortcut: Shortcut
  /** Where those who wait in this process hear of jobs that end in it. */
  readonly endings: JobEndings
  readonly clock: Clock
  /** Explains why this process should take no new work; null if it may. */
  readonly stalled: () => string | null
}

/** One role, not yet started. */
export async function unitOf(role: Role, parts: UnitParts): Promise<Unit> {
  const { settings, store, instanceName, telemetry, hints, shortcut, clock, containers } = parts
  const { agents = [], slots, sweepIntervalMs, deadlineGraceMs, stopBudgetMs, timing } = settings
  const processorName = processorNameOf(role, settings.unitPrefix)
  const onCharge = charging(telemetry)
  const leases = await CosmosLeaseStore.open({
    leaseContainer: containers.leases,
    monitoredContainer: containers.state,
    processorName,
    onCharge,
  })
  const common: UnitOptions = {
    store,
    feed: new CosmosChangeFeed({ container: containers.state, onCharge }),
    leases,
    processorName,
    instanceName,
    telemetry,
    hints,
    shortcut,
    clock,
    ...(timing === undefined ? {} : { timing }),
  }
  switch (role) {
    case 'scheduler':
      return createScheduler({ ...common, onJobEnded: (ended) => parts.endings.tell(ended) })
    case 'agents':
      return createAgents({
        ...common,
        agents,
        unhealthyBecause: () =>
          parts.stalled() ?? (settings.isHealthy?.() === false ? 'isHealthy answers false' : null),
        ...(slots === undefined ? {} : { slots }),
        ...(stopBudgetMs === undefined ? {} : { stopBudgetMs }),
      })
    case 'supervisor':
      return createSupervisor({
        ...common,
        ...(sweepIntervalMs === undefined ? {} : { sweepIntervalMs }),
        ...(deadlineGraceMs === undefined ? {} : { deadlineGraceMs }),
      })
    case 'notifier':
      return createNotifier({ ...common, ...notifying(settings, containers) })
  }
}
