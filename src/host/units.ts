import { CosmosLeaseStore } from '../../lease-store/index.js'
import type { FeedHints } from '../change-feed-processor/index.js'
import { CosmosChangeFeed } from '../change-feed-processor/internal.js'
import type { Clock } from '../platform/index.js'
import type { Agent, UnitTiming } from '../sas/index.js'
import {
  createAgents,
  createNotifier,
  createScheduler,
  createSupervisor,
  type CosmosStateStore,
  type JobEndings,
  type InProcessPath,
  type Unit,
  type UnitOptions,
} from '../sas/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { charging, type Containers, processorNameOf } from '../connection/internal.js'
import { notifying, type NotifyingSettings } from './notifying.js'
import type { Role } from '../connection/index.js'

/** The settings of a host's roles. */
export interface UnitSettings extends NotifyingSettings {
  /** The agents whose handlers run here. The role `agents` needs at least one. */
  readonly agents?: readonly Agent[]
  /**
   * The prefix of the processor names, before the role. Hosts with the same prefix and containers share their
   * work. Default `stepward`.
   */
  readonly unitPrefix?: string
  /**
   * Returns whether the agents here should take work. It is called often, so it must not make requests. While it
   * returns false or throws, this instance releases its leases of the agents, and others do the work. Default:
   * always true.
   */
  readonly isHealthy?: () => boolean
  /** Intervals of the change feed processors. */
  readonly timing?: UnitTiming
  /** The number of handlers that run at once. Default 16. */
  readonly slots?: number
  /** The interval of looking for overdue steps, in milliseconds. Default 30,000. */
  readonly sweepIntervalMs?: number
  /** The time after a deadline before the step counts as overdue, in milliseconds. Default 2,000. */
  readonly deadlineGraceMs?: number
  /** The time that handlers may go on when the host stops, in milliseconds. Default 3,000. */
  readonly stopBudgetMs?: number
}

/** The parts that the units of a host share. */
export interface UnitParts {
  readonly settings: UnitSettings
  readonly containers: Containers
  readonly store: CosmosStateStore
  readonly instanceName: string
  readonly telemetry: Telemetry
  readonly hints: FeedHints
  readonly inProcessPath: InProcessPath
  /** Tells callers that wait in this process about jobs that end in it. */
  readonly endings: JobEndings
  readonly clock: Clock
  /** Returns why this process should take no new work; null if it may. */
  readonly stalled: () => string | null
}

/** Creates the unit of one role without starting it. */
export async function unitOf(role: Role, parts: UnitParts): Promise<Unit> {
  const { settings, store, instanceName, telemetry, hints, inProcessPath, clock, containers } = parts
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
    inProcessPath,
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
