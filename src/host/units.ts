import type { ChangeFeed } from '../change-feed-processor/index.js'
import type { FeedHints } from '../change-feed-processor/internal.js'
import type { Clock } from '../platform/index.js'
import { withoutUndefined, packageVersion } from '../platform/internal.js'
import { alertWebhook, type PayloadStore } from '../sas/index.js'
import {
  CosmosReplyContainers,
  createAgents,
  createNotifier,
  createScheduler,
  createSupervisor,
  replyChannel,
  type EndHints,
  type JobEndings,
  type InProcessPath,
  type Unit,
  type UnitOptions,
  type WakeUps,
} from '../sas/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { type Containers, processorNameOf, type StorePorts } from '../connection/internal.js'
import type { HealthSource } from './health.js'
import type { HostSettings } from './host-options.js'
import type { Role } from '../connection/index.js'

export interface UnitParts {
  readonly settings: HostSettings
  readonly containers: Containers
  readonly ports: StorePorts
  /** The changes of the state container, whose pages all roles of this process share. */
  readonly feed: ChangeFeed
  readonly instanceName: string
  readonly telemetry: Telemetry
  readonly hints: FeedHints
  readonly inProcessPath: InProcessPath
  /** Reports each job that ends in this process to the callers in this process that wait for it. */
  readonly endings: JobEndings
  /** Reports the ends of jobs to the callers of this process, also those of other processes if the store does. */
  readonly wakeUps: WakeUps
  readonly endHints: EndHints | undefined
  readonly clock: Clock
  readonly payloads: PayloadStore | undefined
  /** The address at which this process takes hints about writes, or undefined. */
  readonly wakeAddress: string | undefined
  /** Reports why this process should take no new work after its event loop was blocked. */
  readonly eventLoop: HealthSource
}

export async function unitOf(role: Role, parts: UnitParts): Promise<Unit> {
  const { settings, ports, instanceName, telemetry, hints, inProcessPath, clock, containers } = parts
  const { agents, slots, stopBudget, sweepInterval, deadlineGrace, timing } = settings
  const processorName = processorNameOf(role, settings.unitPrefix)
  const common: UnitOptions = {
    store: ports.stateOf(role),
    feed: parts.feed,
    leases: await ports.leases(processorName, role),
    processorName,
    instanceName,
    telemetry,
    hints,
    looksAtHints: ports.reportsWrites,
    inProcessPath,
    clock,
    version: packageVersion(),
    ...withoutUndefined({ timing, wakeAddress: parts.wakeAddress, payloads: parts.payloads }),
  }
  switch (role) {
    case 'scheduler':
      return createScheduler({ ...common, onJobEnded: (ended) => parts.endings.tell(ended) })
    case 'agents':
      return createAgents({
        ...common,
        agents,
        slots,
        stopBudget,
        wakeUps: parts.wakeUps,
        ...withoutUndefined({ endHints: parts.endHints }),
        unhealthyReason: () =>
          parts.eventLoop.unhealthyReason() ??
          (settings.isHealthy?.() === false ? 'isHealthy returned false' : null),
      })
    case 'supervisor': {
      const agentsLeases = await ports.leases(processorNameOf('agents', settings.unitPrefix), role)
      return createSupervisor({ ...common, sweepInterval, deadlineGrace, agentsLeases })
    }
    case 'notifier':
      return createNotifier({ ...common, ...notifying(settings, containers) })
  }
}

function notifying(settings: HostSettings, { state }: Containers) {
  const { alertWebhook: url, alertSinks, alertCallsPerMinute, remindAfter, sendTimeout } = settings
  return {
    channel: replyChannel(new CosmosReplyContainers({ database: state.database })),
    alertSinks: url === undefined ? alertSinks : [alertWebhook(url), ...alertSinks],
    alertCallsPerMinute,
    remindAfter,
    sendTimeout,
  }
}
