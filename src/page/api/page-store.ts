import type { StorePorts } from '../../connection/internal.js'
import type { ScaleTarget, UnitSelection } from '../../operations/index.js'
import type { Clock } from '../../platform/index.js'
import type { JobClient, JobView, Workflow } from '../../sas/index.js'
import type { PageRole } from '../door/people.js'
import type { ChargeReport, Charges } from './charges.js'
import type { OperationLog } from './operation-log.js'

/** How many instances should run. */
export interface WantedInstances {
  /** The counts, by the role, or by the name of an app with any roles. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether the names are roles, each of which can be scaled. */
  readonly isByRole: boolean
  /** Why the counts are unknown, or null. */
  readonly problem: string | null
}

/** The instances that a page can scale and rebalance. */
export interface FleetControl {
  /** The options with which commands act on the same instances. */
  readonly options: readonly string[]
  /** The machine or the app of the instances, for the audit. */
  readonly place: string
  readonly targetOf: (role: string) => Promise<ScaleTarget>
  /** Returns how many instances should run, or why this is unknown. */
  readonly wanted: () => Promise<WantedInstances>
  /** Lets the processes of a role, or of all roles, look for leases. Returns their names. */
  readonly rebalance: (role: string | undefined, isDryRun: boolean) => Promise<readonly string[]>
}

/** The store that a page shows, and the person who uses the page. */
export interface PageStore {
  /** The name of the store, as shown to people. */
  readonly name: string
  /** The options of commands that use the same store, without secrets. */
  readonly storeArguments: readonly string[]
  readonly client: JobClient
  readonly ports: Pick<StorePorts, 'state' | 'queries'>
  /** Reads the leases, and says which roles or agents a job lacks. Null if none are missing. */
  readonly lacks: (job: JobView) => Promise<string | null>
  readonly selection: UnitSelection
  readonly clock: Clock
  /** The name of the person, which is stored with each decision. */
  readonly by: string
  readonly roles: readonly PageRole[]
  /** The commands of the actions that the person may use. */
  readonly may: readonly string[]
  /** The request units that this server has used. */
  readonly charges: Charges
  /** What the host in this process has used. Null if the process runs no roles. */
  readonly hostCharges: (() => ChargeReport) | null
  /** The actions on many jobs of this server. */
  readonly operations: OperationLog
  /** The instances that the page scales, or null if it was started without any. */
  readonly fleet: FleetControl | null
  /** The workflows whose jobs may be submitted. */
  readonly workflows: readonly Workflow<unknown>[]
  /** The path of the module with these workflows. Null if it is unknown. */
  readonly module: string | null
}
