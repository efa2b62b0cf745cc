import { systemClock } from '../platform/index.js'
import { systemRandom } from '../platform/internal.js'
import type { SweepResult } from '../sas/index.js'
import { superviseOnce as lookOnce } from '../sas/internal.js'
import { silent } from '../telemetry/internal.js'
import {
  charging,
  openConnection,
  openContainers,
  openPorts,
  instanceNameOf,
  storeTimeOf,
} from '../connection/internal.js'
import type { Connection } from '../connection/index.js'
import { hostSettings, type HostOptions } from './host-options.js'

/** The host options that a single sweep needs. */
export type SuperviseOnceOptions = Connection &
  Pick<HostOptions, 'instanceName' | 'telemetry' | 'deadlineGrace'>

/**
 * Recovers all work that is overdue now, and ends. If no process runs permanently, call this function from a
 * schedule (cron, WebJob) to run the supervisor (R106, R171). It takes no lease, so it may run together with
 * other supervisors. It does not ask agents whether a step waits for a slot, so such a step may lose an attempt.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each with advice
 */
export async function superviseOnce(options: SuperviseOnceOptions): Promise<SweepResult> {
  const settings = hostSettings({ ...options, roles: ['supervisor'] })
  const { telemetry = silent, instanceName = instanceNameOf(systemRandom), deadlineGrace } = settings
  const connection = await openConnection(options)
  const { clock, end } = storeTimeOf(connection.client, systemClock, telemetry)
  try {
    const containers = await openContainers(connection)
    const ports = await openPorts(connection, containers, { onCharge: charging(telemetry), clock })
    try {
      return await lookOnce({ store: ports.state, instanceName, telemetry, clock, deadlineGrace })
    } finally {
      ports.close()
    }
  } finally {
    end()
    connection.close()
  }
}
