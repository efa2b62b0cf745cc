import type { FeedHints } from '../change-feed-processor/internal.js'
import { leasesByRole, type StorePorts } from '../connection/internal.js'
import type { Clock } from '../platform/index.js'
import type { InProcessPath, JobEndings } from '../sas/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { openWakeUpLink, type WakeUpLink } from '../wake-up/index.js'
import { noWakeUps, type HostSettings } from './host-options.js'

interface Linked {
  readonly settings: HostSettings
  readonly ports: StorePorts
  readonly hints: FeedHints
  readonly endings: JobEndings
  readonly inProcessPath: InProcessPath
  readonly instanceName: string
  readonly telemetry: Telemetry
  readonly clock: Clock
}

/** The link of a host. The parts are absent if nothing is sent between processes. */
type HostLink = Partial<Pick<WakeUpLink, 'wakeAddress' | 'endHints'>> & Pick<WakeUpLink, 'close'>

/**
 * Links this host to other processes, so that each learns of the others' writes and of the work that they take. If the
 * store itself reports both, or if the host was told to take no hints, nothing is sent between the processes.
 */
export async function linkToOthers({
  settings,
  ports,
  endings,
  inProcessPath,
  instanceName,
  ...parts
}: Linked): Promise<HostLink> {
  const { wakeAddress, unitPrefix } = settings
  const { scheduler, agents } = inProcessPath
  const takenWork = () => ({ scheduler: scheduler.isEmpty ? null : instanceName, agents: !agents.isEmpty })
  const endOffer = ports.work?.offer(instanceName, takenWork)
  if (ports.reportsWrites || wakeAddress === noWakeUps) return { close: async () => endOffer?.() }
  const place =
    wakeAddress === undefined
      ? ({ kind: 'loopback' } as const)
      : ({ kind: 'origin', origin: wakeAddress } as const)
  return openWakeUpLink({
    ...parts,
    list: leasesByRole(ports, unitPrefix),
    door: { place, endings, takenWork },
  })
}
