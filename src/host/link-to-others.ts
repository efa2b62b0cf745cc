import type { FeedHints } from '../change-feed-processor/internal.js'
import { leasesByRole, type StorePorts } from '../connection/internal.js'
import type { Clock } from '../platform/index.js'
import type { JobEndings } from '../sas/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { openWakeUpLink, type WakeUpLink } from '../wake-up/index.js'
import { noWakeUps, type HostSettings } from './host-options.js'

interface Linked {
  readonly settings: HostSettings
  readonly ports: StorePorts
  readonly hints: FeedHints
  readonly endings: JobEndings
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
  ...parts
}: Linked): Promise<WakeUpLink | null> {
  const { wakeAddress, unitPrefix } = settings
  if (ports.reportsWrites || wakeAddress === noWakeUps) return null
  const place =
    wakeAddress === undefined
      ? ({ kind: 'loopback' } as const)
      : ({ kind: 'origin', origin: wakeAddress } as const)
  return openWakeUpLink({ ...parts, list: leasesByRole(ports, unitPrefix), door: { place, endings } })
}
