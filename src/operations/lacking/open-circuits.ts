import { ownerless } from '../../connection/internal.js'
import type { Inspection } from '../../change-feed-processor/internal.js'
import { counted } from '../../platform/internal.js'
import { readAgentsReport } from '../../sas/internal.js'
import { word } from '../shown-jobs.js'
import type { HostFinding } from '../unit-selection.js'

/** Returns a finding for each agent that running instances do not call, because its remote service keeps failing. */
export function circuitFindings(
  { units, storeTimeMs }: Pick<Inspection, 'units' | 'storeTimeMs'>,
  expirationMs: number,
): readonly HostFinding[] {
  return units.flatMap(({ processorName, leases }) => {
    const silent = ownerless(leases, { storeTimeMs, expirationMs })
    const instances = new Map<string, Set<string>>()
    for (const { owner, leaseToken, report } of leases) {
      if (owner === null || silent.has(leaseToken)) continue
      for (const agent of readAgentsReport(report)?.openCircuits ?? []) {
        instances.set(agent, (instances.get(agent) ?? new Set()).add(owner))
      }
    }
    return [...instances].map(([agent, owners]) => ({
      rule: 'openCircuit' as const,
      severity: 'hint' as const,
      processorName,
      agent,
      observation:
        `the remote service of agent ${JSON.stringify(agent)} keeps failing, so ` +
        `${counted(owners.size, 'instance does', 'instances do')} not call it for a while: ${[...owners].sort().join(', ')}`,
      // The message of a failure may contain secret values of its job, so it is only shown with the job.
      advice:
        'repair the service; the instances try it again by themselves. Until then, attempts of this agent fail without a call. ' +
        `"stepward list --agent ${word(agent)} --waiting-for retry" lists the jobs, whose steps say how the calls failed`,
    }))
  })
}
