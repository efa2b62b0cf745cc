import { FeedHints } from '../change-feed-processor/internal.js'
import { systemClock, type Clock } from '../platform/index.js'
import { systemRandom } from '../platform/internal.js'
import { having, isObject, kind, optional, readOptions, text } from '../platform/options.js'
import {
  beginningElsewhere,
  emitDispatches,
  JobClient,
  PauseBoard,
  Payloads,
  wakingReaders,
} from '../sas/internal.js'
import type { JobView, ProcessorTiming } from '../sas/index.js'
import type { Telemetry } from '../telemetry/index.js'
import { silent } from '../telemetry/internal.js'
import { connectionShape, openConnection, type Connection, type OpenConnection } from './connection.js'
import { ConfigurationInvalid } from './errors.js'
import { openContainers, type Containers } from './containers.js'
import { openWakeUpLink } from '../wake-up/index.js'
import { leasesByRole } from './leases-by-role.js'
import { rangeReaders } from './range-readers.js'
import { processorNameOf } from './role.js'
import { openPorts, type StorePorts } from './store-ports.js'
import { storeTimeOf } from './store-time.js'

/** A job client with its own connection. */
export type ConnectedClient = JobClient & {
  close(): void
}

/**
 * Returns a client that submits jobs and reads them.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each with advice
 */
export async function connect(
  options: Connection & {
    readonly telemetry?: Telemetry
    /** The `unitPrefix` of the hosts, whose schedulers this client wakes. Default `stepward`. */
    readonly unitPrefix?: string
    /** The timing of the hosts, by which `readsLeases` of a view counts a lease as expired. Default: that of hosts. */
    readonly timing?: Pick<ProcessorTiming, 'leaseExpirationInterval'>
  },
): Promise<ConnectedClient> {
  const { problems } = readOptions(connectShape, options)
  if (problems.length > 0) throw new ConfigurationInvalid(problems)
  const { client, close } = await connectWithPorts(options)
  return Object.assign(client, { close: () => void close().catch(() => undefined) })
}

/** The kinds of the options of {@link connect}. */
const connectShape = {
  ...connectionShape,
  telemetry: optional(having<Telemetry>('an object with emit', 'emit')),
  unitPrefix: optional(text()),
  timing: optional(kind<object>('an object with durations', isObject)),
}

/** A job client, and the ports to the same store. */
export interface ConnectedPorts {
  readonly client: JobClient
  readonly ports: StorePorts
  /** Reads the leases, and says which roles or agents a job lacks. Null if none are missing. */
  readonly lacks: (job: JobView) => Promise<string | null>
  /** The clock that follows the store's time. */
  readonly clock: Clock
  /** Closes the connection when the last hints to other processes have been sent, or after half a second. */
  readonly close: () => Promise<void>
}

/** Returns what {@link connect} returns, with the ports through which the client uses the store. */
export async function connectWithPorts(options: Parameters<typeof connect>[0]): Promise<ConnectedPorts> {
  const { telemetry = silent } = options
  return withContainers(options, telemetry, async ({ connection, containers, clock }) => {
    const ports = await openPorts(connection, containers, { onCharge: charging(telemetry), clock })
    const { queries } = ports
    const { unitPrefix } = options
    const hints = new FeedHints()
    // A store that reports writes and ends itself needs no messages between processes.
    const link =
      ports.endings === undefined
        ? await openWakeUpLink({ hints, list: leasesByRole(ports, unitPrefix), clock, telemetry })
        : null
    const units = {
      scheduler: processorNameOf('scheduler', unitPrefix),
      agents: processorNameOf('agents', unitPrefix),
    }
    const takingScheduler = ports.work?.takingScheduler(units) ?? link?.takingScheduler ?? noScheduler
    const lacks = rangeReaders(containers, { clock, timing: options.timing })
    const client = new JobClient({
      lacks,
      store: wakingReaders(ports.state, hints),
      queries,
      clock,
      telemetry,
      payloads: new Payloads(options.payloads ?? null, systemRandom),
      ...(ports.endings === undefined ? {} : { wakeUps: ports.endings }),
      ...(link === null ? {} : { endHints: link.endHints }),
      ...beginningElsewhere(takingScheduler, {
        hints,
        board: new PauseBoard({ store: ports.state, clock, telemetry }),
        now: () => clock.now(),
        onBegun: ({ job, steps }) => emitDispatches({ job, changed: steps }, telemetry),
      }),
    })
    const close = async (): Promise<void> => {
      await link?.close().catch(() => undefined)
      ports.close()
      connection.close()
    }
    return { client, ports, lacks, clock, close }
  })
}

/** Nothing says which processes take work. */
const noScheduler = (): null => null

/** Opens a connection and its containers for `use`. Closes the connection if anything fails. */
async function withContainers<T>(
  options: Connection,
  telemetry: Telemetry,
  use: (opened: Opened) => T | Promise<T>,
): Promise<T> {
  const open = await openConnection(options)
  const { clock, end } = storeTimeOf(open.client, systemClock, telemetry)
  const close = (): void => {
    end()
    open.close()
  }
  const connection = { ...open, close }
  try {
    return await use({ connection, containers: await openContainers(connection), clock })
  } catch (error) {
    close()
    throw error
  }
}

interface Opened {
  readonly connection: OpenConnection
  readonly containers: Containers
  readonly clock: Clock
}

/** Returns a function that emits an event with the request units of each request to the store. */
export function charging(telemetry: Telemetry) {
  return (operation: string, charge: number, user?: string): void =>
    telemetry.emit({ type: 'store.charged', operation, charge, ...(user === undefined ? {} : { user }) })
}
