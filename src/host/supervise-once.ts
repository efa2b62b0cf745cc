import { systemClock, systemRandom } from '../platform/index.js'
import { CosmosStateStore, superviseOnce as lookOnce, type SweepResult } from '../sas/index.js'
import { silent } from '../telemetry/index.js'
import { charging } from '../connection/connect.js'
import { openConnection, type Connection } from '../connection/connection.js'
import { openContainers } from '../connection/containers.js'
import { hostSettings, type HostOptions } from './host-options.js'
import { instanceNameOf } from '../connection/instance-name.js'
import { storeTimeOf } from '../connection/store-time.js'

/** The options of a host that a single sweep needs. */
export type SuperviseOnceOptions = Connection &
  Pick<HostOptions, 'instanceName' | 'telemetry' | 'deadlineGrace'>

/**
 * Recovers everything that is overdue now, and ends. It runs the supervisor from a timetable (cron, WebJob) where
 * no process runs for long (R106, R171). It takes no lease, so it may run beside other supervisors.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each saying what to do
 */
export async function superviseOnce(options: SuperviseOnceOptions): Promise<SweepResult> {
  const settings = hostSettings({ ...options, roles: ['supervisor'] })
  const { telemetry = silent, instanceName = instanceNameOf(systemRandom), deadlineGrace } = settings
  const connection = await openConnection(options)
  const { clock, end } = storeTimeOf(connection.client, systemClock, telemetry)
  try {
    const { state } = await openContainers(connection)
    const store = new CosmosStateStore({ container: state, onCharge: charging(telemetry) })
    return await lookOnce({ store, instanceName, telemetry, clock, deadlineGrace })
  } finally {
    end()
    connection.close()
  }
}
