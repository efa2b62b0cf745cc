import { systemClock } from '../../platform/index.js'
import { flag, optional, secretThat, text, wholeNumber } from '../../platform/options.js'
import { openLocked, type OpenAccount } from './account.js'
import { accountShape, doorOptions, type AccountOptions } from './account-options.js'
import { localCertificate } from './certificate.js'
import { answerExplorer, explorerPath, explorerReach } from '../explorer/index.js'
import { listen } from './http-server.js'
import { accountKeyRule, isAccountKey, wellKnownKey } from './account-key.js'

/** Options of an account that is served over HTTP. */
export interface AccountServerOptions extends AccountOptions {
  /** The port to listen on. 0 takes any free port. Default 8081, as for every Cosmos DB emulator. */
  readonly port?: number
  /** The address to listen on. Default 127.0.0.1, which only this machine can reach. */
  readonly host?: string
  /**
   * The account's master key in base64, in whole groups of four characters. Default: the well-known key of
   * all Cosmos DB emulators.
   */
  readonly key?: string
  /**
   * Whether the server uses https, with a certificate for localhost, 127.0.0.1 and ::1. The certificate is
   * kept in the data directory, if there is one. Default false.
   */
  readonly https?: boolean
  /**
   * Whether browsers can open the data explorer at `/_explorer/`. By default, they can if `host` is a
   * loopback address. With true, browsers on other machines can also open it, at an IP address of this
   * machine.
   */
  readonly explorer?: boolean
}

/** A Cosmos DB account served over HTTP to any client. */
export interface AccountServer extends OpenAccount {
  /** The URL to connect to, such as `http://127.0.0.1:8081/` or `https://localhost:8081/`. */
  readonly endpoint: string
  readonly key: string
  readonly connectionString: string
  /** With https, the PEM certificate that clients must trust; otherwise null. */
  readonly certificate: string | null
  /** The URL of the data explorer, or null if it is off. */
  readonly explorer: string | null
}

const shape = {
  ...accountShape,
  port: optional(wholeNumber(0, 65_535), 8081),
  host: optional(text(), '127.0.0.1'),
  key: optional(secretThat(accountKeyRule, isAccountKey), wellKnownKey),
  https: optional(flag(), false),
  explorer: optional(flag()),
}

/**
 * Starts a server without loading the slow SDK. Rejects with one clear error if the port or the data
 * directory is not available.
 */
export async function serveAccount(options: AccountServerOptions = {}): Promise<AccountServer> {
  const { port, host, key, https, explorer, ...own } = doorOptions(shape, options)
  const certificate = https ? await localCertificate(own.dataDirectory, own.clock) : undefined
  // Clients in other processes sign with the machine's time, even if the account has another clock.
  const { respond, ...account } = await openLocked(own, key, { signersClock: systemClock })
  const reach = explorerReach(host, explorer)
  const server = await listen({
    port,
    host,
    respond: (request) => answerExplorer(request, reach) ?? respond(request),
    ...(certificate === undefined ? {} : { certificate }),
  }).catch(async (error: unknown) => {
    await account.close()
    throw error
  })
  const endpoint = `${https ? 'https' : 'http'}://${shown(host)}:${server.port}/`
  return {
    ...account,
    endpoint,
    key,
    certificate: certificate?.certificate ?? null,
    explorer: reach === 'none' ? null : new URL(explorerPath, endpoint).href,
    connectionString: `AccountEndpoint=${endpoint};AccountKey=${key};`,
    close: async () => {
      // A request that a fault delays would keep the server open.
      account.faults.clear()
      await server.close()
      await account.close()
    },
  }
}

/** Returns an address that clients can call: the loopback address if the server listens on every address. */
function shown(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
