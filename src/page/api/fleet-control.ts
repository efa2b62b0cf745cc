import type { ScaleTarget } from '../../operations/index.js'

/** The instances that a page can scale and rebalance. */
export interface FleetControl {
  /** The options with which commands act on the same instances. */
  readonly options: readonly string[]
  readonly targetOf: (role: string) => Promise<ScaleTarget>
  /** Lets the processes of a role, or of all roles, look for leases. Returns their names. */
  readonly rebalance: (role: string | undefined, isDryRun: boolean) => Promise<readonly string[]>
}
