import type { ChangeFeedContext } from '../../change-feed-processor/index.js'
import type { Clock, Random } from '../../platform/index.js'
import type { Processes } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { InProcessPath } from '../in-process/in-process-path.js'
import type { Payloads } from '../payloads/payloads.js'
import type { StateStore } from '../store/state-store.js'
import type { Agent } from './agent.js'

export interface AgentsOptions {
  readonly store: StateStore
  readonly agents: readonly Agent[]
  readonly instanceName: string
  /** The number of handlers that run at the same time in this instance. */
  readonly slots: number
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
  readonly inProcessPath?: InProcessPath
  readonly payloads?: Payloads
  /** The processes of this machine. Default: no process is known. */
  readonly processes?: Processes
  /** Lets the user's code give a reason why this instance should take no work. Default: always null. */
  readonly unhealthyReason?: () => string | null
}

/** What the agents need to know about a delivery. */
export type DelegateContext = Pick<ChangeFeedContext, 'signal'> &
  Partial<Pick<ChangeFeedContext, 'leaseToken' | 'wasHeldAt' | 'keepForSuccessor'>>
