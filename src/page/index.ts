/**
 * # Page
 *
 * A page on which an operator sees jobs, leases and problems, and acts on them. The page does what the
 * commands do, through the same functions.
 *
 * - `answers.ts` answers browsers, and `server.ts` serves the loopback interface. `door/` decides which
 *   requests are answered: who is signed in, from which page a request comes, and how large a body is.
 * - `api/` has one table of routes with the shapes of their parameters and answers. `openapi.ts` describes them.
 * - `live/` tells all viewers of changes. One reader of the feed serves all of them, and it reads only
 *   while someone watches.
 * - `assets/` finds the files. `browser/` contains the page itself, which browsers get as it is written.
 *
 * `docs/adr/0037` gives the reasons. Start with `answers.ts` and `api/routes.ts`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connectWithPorts, storeName, type Settings } from '../connection/internal.js'
import type { UnitSelection } from '../operations/index.js'
import { systemClock } from '../platform/index.js'
import { systemRandom } from '../platform/internal.js'
import { AnswerLinks, type AnswerLinkOptions, type Workflow } from '../sas/index.js'
import { Charges, type ChargeReport } from './api/charges.js'
import { PageAnswers } from './answers.js'
import type { FleetControl } from './api/page-store.js'
import { OperationLog } from './api/operation-log.js'
import { LinkAnswers } from './link-answers.js'
import { PageServer } from './server.js'
import type { Door } from './door/door.js'
import { PlatformDoor } from './door/platform-door.js'
import { TokenDoor, type EntraApplication } from './door/token-door.js'
import { Viewers } from './live/viewers.js'

/** The store that a page shows. */
export interface StoreOfPage {
  readonly settings: Settings & UnitSelection
  /** The name of the store, if the settings do not tell it. */
  readonly storeName?: string
  /** The options of commands that use the same store, without secrets. Default: none. */
  readonly storeArguments?: readonly string[]
  readonly workflows: readonly Workflow<unknown>[]
  /** The path of the module with the workflows, for commands to copy. Default: a placeholder. */
  readonly module?: string | undefined
  /** The instances that the page scales. Default: none. */
  readonly fleet?: FleetControl
  /** The public address of signed links, and their secrets. Default: the page accepts no links. */
  readonly links?: AnswerLinkOptions | undefined
  /** What the host in this process has used. Default: the process runs no roles. */
  readonly hostCharges?: () => ChargeReport
}

export interface PageOptions extends StoreOfPage {
  /** The port on the loopback interface, 0 for any, or null for 8090 or, if 8090 is in use, any. */
  readonly port: number | null
  readonly by: string
  /** Called with an address for another browser after a browser signed in. */
  readonly onOpened: (address: string) => void
}

/** A page that is served until it is closed. */
export interface ServedPage {
  /** The address that signs in the next browser. */
  readonly address: string
  close(): Promise<void>
}

/**
 * Serves the page on the loopback interface.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each with advice
 */
export async function servePage(options: PageOptions): Promise<ServedPage> {
  const { port, by, onOpened } = options
  const { store, viewers, links, close } = await openStore(options)
  const server = new PageServer({ store, viewers, links, random: systemRandom, by, onOpened })
  try {
    await server.listen(port)
  } catch (error) {
    await close()
    throw error
  }
  return {
    get address() {
      return server.address
    },
    close: async () => {
      await server.close()
      await close()
    },
  }
}

/** A page that the server of a host serves, for people who sign in before their requests arrive. */
export interface HostedPage extends ServedPage {
  /** Answers a request, if it says who sent it. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
}

/**
 * Returns the page for the server of a process on App Service.
 *
 * @throws Error if the platform does not authenticate the requests
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each with advice
 */
export async function platformPage(
  options: StoreOfPage,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<HostedPage> {
  return hostedPage(
    options,
    new PlatformDoor(environment),
    `https://${environment['WEBSITE_HOSTNAME'] ?? ''}/`,
  )
}

/**
 * Returns the page for the server of a process behind a proxy that passes tokens of Microsoft Entra ID.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each with advice
 */
export function tokenPage(options: StoreOfPage, application: EntraApplication): Promise<HostedPage> {
  return hostedPage(options, new TokenDoor(application), `${application.publicUrl}/`)
}

async function hostedPage(options: StoreOfPage, door: Door, address: string): Promise<HostedPage> {
  const { store, viewers, links, close } = await openStore(options)
  const answers = new PageAnswers({ store, viewers, links, door })
  return {
    address,
    answer: (request, response) => answers.answer(request, response),
    close: async () => {
      await viewers.close()
      await close()
    },
  }
}

async function openStore(options: StoreOfPage) {
  const { settings, workflows, storeArguments = [], module = null } = options
  const signed = options.links === undefined ? null : new AnswerLinks(options.links)
  const charges = new Charges(systemClock)
  const { client, ports, lacks, clock, close } = await connectWithPorts({ ...settings, telemetry: charges })
  const viewers = new Viewers({
    clock,
    changeFeed: () => ports.changeFeed(),
    watch: (onWrite) => ports.watch(onWrite),
  })
  const name = options.storeName ?? storeName(settings)
  const operations = new OperationLog(clock, systemRandom)
  const links = signed === null ? null : new LinkAnswers(signed, client, ports.state)
  const fleet = options.fleet ?? null
  const shown = {
    name,
    fleet,
    storeArguments,
    client,
    ports,
    lacks,
    selection: settings,
    clock,
    workflows,
    module,
  }
  const measured = { charges, hostCharges: options.hostCharges ?? null }
  return { store: { ...shown, ...measured, operations }, viewers, links, close }
}

export type { EntraApplication }
export { isSignInByPlatform } from './door/platform-door.js'
