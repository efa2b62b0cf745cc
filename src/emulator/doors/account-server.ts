import { systemClock } from '../../platform/index.js'
import { openAccount, type Account, type AccountOptions } from './account.js'
import { localCertificate } from './certificate.js'
import { lockDirectory } from '../durability/directory-lock.js'
import type { EmulatorStats } from '../rest/emulator-stats.js'
import type { CosmosEngine } from '../engine/index.js'
import type { Faults } from '../faults/index.js'
import { listen } from './http-server.js'
import type { PartitionChanges } from '../engine/partition-changes.js'
import { wellKnownKey } from './well-known-key.js'

/** How an account is served. */
export interface AccountServerOptions extends AccountOptions {
  /** Default 8081, as every Cosmos DB emulator; 0 takes any free one. */
  readonly port?: number
  /** The address to listen on. Default 127.0.0.1: only this machine. */
  readonly host?: string
  /** The account's master key, base64. Default the well-known key of the emulators. */
  readonly key?: string
  /**
   * Talk https, with a certificate made for localhost, 127.0.0.1 and ::1; it is kept in the data directory if there is
   * one. Default false: clients talk http.
   */
  readonly https?: boolean
}

/** A Cosmos DB account that is reached over HTTP, by whatever clients others have. */
export interface AccountServer extends PartitionChanges {
  /** Such as `http://127.0.0.1:8081/`, or `https://localhost:8081/`. */
  readonly endpoint: string
  readonly key: string
  readonly connectionString: string
  /** With https, what clients must be told to trust, PEM; otherwise null. */
  readonly certificate: string | null
  readonly engine: CosmosEngine
  /** What goes wrong on purpose. Default: nothing. */
  readonly faults: Faults
  stats(): EmulatorStats
  /** Ends idle connections at once, lets requests under way finish, and gives the data directory free. */
  close(): Promise<void>
}

const defaultPort = 8081

/**
 * Starts one; knows no SDK, which takes longer to load than all else. Rejects with one clear error when the port or the
 * data directory is not to be had.
 */
export async function serveAccount(options: AccountServerOptions = {}): Promise<AccountServer> {
  const { port = defaultPort, host = '127.0.0.1', key = wellKnownKey, https = false } = options
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(key)) throw new Error('The key must be base64, as account keys are.')
  const clock = options.clock ?? systemClock
  const certificate = https ? await localCertificate(options.dataDirectory, clock) : undefined
  const account = await openLocked(options, key)
  const server = await listen({
    port,
    host,
    respond: (request) => account.respond(request),
    ...(certificate === undefined ? {} : { certificate }),
  }).catch(async (error: unknown) => {
    await account.close()
    throw error
  })
  const endpoint = `${https ? 'https' : 'http'}://${shown(host)}:${server.port}/`
  return {
    endpoint,
    key,
    certificate: certificate?.certificate ?? null,
    connectionString: `AccountEndpoint=${endpoint};AccountKey=${key};`,
    engine: account.engine,
    ...account.partitionChanges,
    faults: account.faults,
    stats: () => account.stats(),
    close: async () => {
      // A request that is being delayed would keep the server.
      account.faults.clear()
      await server.close()
      await account.close()
    },
  }
}

/** The account; its data directory is held before anything in it is looked at. */
async function openLocked(options: AccountServerOptions, key: string): Promise<Account> {
  const { dataDirectory } = options
  // Clients in other processes sign by the machine's clock, whatever clock the account has.
  const signersClock = systemClock
  if (dataDirectory === undefined) return openAccount(options, key, { signersClock })
  const lock = await lockDirectory(dataDirectory)
  try {
    return openAccount(options, key, { lock: Promise.resolve(lock), signersClock })
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The address to call where "every address" is listened on, and IPv6 in its brackets. */
function shown(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
