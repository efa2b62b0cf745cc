import { systemClock } from '../platform/index.js'
import { CosmosStateStore, JobClient } from '../sas/index.js'
import { silent, type Telemetry } from '../telemetry/index.js'
import { openConnection, type Connection, type OpenConnection } from './connection.js'
import { openContainers, type Containers } from './containers.js'

/** A job client that holds a connection. */
export type ConnectedClient = JobClient & {
  /** Closes the connection. */
  close(): void
}

/**
 * A client to submit jobs and look at them.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each saying what to do
 */
export async function connect(
  options: Connection & { readonly telemetry?: Telemetry },
): Promise<ConnectedClient> {
  const { telemetry = silent } = options
  return withContainers(options, ({ connection, containers }) => {
    const store = new CosmosStateStore({ container: containers.state, onCharge: charging(telemetry) })
    const client = new JobClient({ store, clock: systemClock, telemetry })
    return Object.assign(client, { close: () => connection.close() })
  })
}

/** Opens a connection and its containers for `use`; closed again if that fails. */
async function withContainers<T>(
  options: Connection,
  use: (opened: { readonly connection: OpenConnection; readonly containers: Containers }) => T | Promise<T>,
): Promise<T> {
  const connection = await openConnection(options)
  try {
    return await use({ connection, containers: await openContainers(connection) })
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Reports the request units of a store's requests as events. */
export function charging(telemetry: Telemetry) {
  return (operation: string, charge: number): void =>
    telemetry.emit({ type: 'store.charged', operation, charge })
}
