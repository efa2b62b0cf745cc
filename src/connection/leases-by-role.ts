import type { LeaseStore } from '../../lease-store/index.js'
import type { ListLeases } from '../wake-up/index.js'
import { processorNameOf, type Role } from './role.js'
import type { StorePorts } from './store-ports.js'

/** Returns a function that lists the leases of a role. It opens the leases of each role once. */
export function leasesByRole(ports: Pick<StorePorts, 'leases'>, unitPrefix: string | undefined): ListLeases {
  const opened = new Map<Role, LeaseStore>()
  return async (role) => {
    const leases = opened.get(role) ?? (await ports.leases(processorNameOf(role, unitPrefix)))
    opened.set(role, leases)
    return leases.list()
  }
}
