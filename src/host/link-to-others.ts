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

/**
 * Links this host to other processes, so that each learns of the others' writes at once. Returns null if the
 * store itself reports the writes of all processes, or if the host was told to take no hints.
 */
export async function linkToOthers({
  settings,
  ports,
  endings,
  inProcessPath,
  instanceName,
  ...parts
}: Linked): Promise<WakeUpLink | null> {
  const { wakeAddress, unitPrefix } = settings
  if (ports.reportsWrites || wakeAddress === noWakeUps) return null
  const place =
    wakeAddress === undefined
      ? ({ kind: 'loopback' } as const)
      : ({ kind: 'origin', origin: wakeAddress } as const)
  const { scheduler, agents } = inProcessPath
  const takenWork = () => ({ scheduler: scheduler.isEmpty ? null : instanceName, agents: !agents.isEmpty })
  return openWakeUpLink({
    ...parts,
    list: leasesByRole(ports, unitPrefix),
    door: { place, endings, takenWork },
  })
}
