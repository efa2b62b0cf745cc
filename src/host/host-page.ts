import { ConfigurationInvalid, type Connection } from '../connection/index.js'
import { connectionShape, processSettings } from '../connection/internal.js'
import type { ServedPage } from '../page/index.js'
import { whoAmI } from '../platform/internal.js'
import {
  asGiven,
  callback,
  chosen,
  flag,
  group,
  kind,
  optional,
  text,
  textThat,
  wholeNumber,
} from '../platform/options.js'
import type { AnswerLinkOptions, ProcessorTiming, Workflow } from '../sas/index.js'
import { isWorkflow } from '../sas/internal.js'
import type { StatusServer } from './status-server.js'

/** The page for operators of a host. */
export interface PageSettings {
  /**
   * The port on the loopback interface. 0 means any free port. Default: 8090, or any free port if 8090 is in
   * use.
   */
  readonly port?: number
  /** The name that is stored with decisions. Default: the user of this process. */
  readonly by?: string
  /** The workflows, each made by `defineWorkflow`, whose jobs can be submitted on the page. Default: none. */
  readonly workflows?: readonly Pick<Workflow<unknown>, 'name'>[]
  /**
   * The public address and the secrets of signed links, with which people answer questions without an account.
   * Default: `STEPWARD_PUBLIC_URL` and `STEPWARD_LINK_KEY`, or no links.
   */
  readonly links?: AnswerLinkOptions
  /** Called with an address for another browser after a browser signed in. */
  readonly onOpened?: (address: string) => void
  /**
   * The application in Microsoft Entra ID whose tokens the page accepts, as `Authorization: Bearer` from a
   * proxy that signs people in. The page is then on the host's `port`, and needs `publicUrl`. Default: none.
   */
  readonly entra?: EntraSettings
  /** The origin under which people open the page, such as `https://jobs.contoso.com`. Default: none. */
  readonly publicUrl?: string
}

/** An application in Microsoft Entra ID with the app roles of the page. */
export interface EntraSettings {
  readonly tenantId: string
  readonly clientId: string
  /** The address of Entra ID in a national cloud. Default: `https://login.microsoftonline.com`. */
  readonly authority?: string
}

const origin = () => textThat('an origin such as https://jobs.contoso.com', isOrigin)

function isOrigin(value: string): boolean {
  return /^https?:/u.test(value) && URL.canParse(value) && new URL(value).origin === value
}

const settingsShape = {
  port: optional(wholeNumber(0, 65_535)),
  by: optional(text()),
  workflows: optional(
    kind<readonly Workflow<unknown>[]>(
      'a list of workflows, each made by defineWorkflow',
      (value) => Array.isArray(value) && value.every(isWorkflow),
    ),
    [],
  ),
  links: kind<AnswerLinkOptions>('{ publicUrl, keys }', (value) => typeof value === 'object').optional(),
  onOpened: optional(callback<(address: string) => void>()),
  entra: optional(
    asGiven<EntraSettings>(group({ tenantId: text(), clientId: text(), authority: optional(origin()) })),
  ),
  publicUrl: optional(origin()),
}

/** The kind of the option `page`. */
export const pageOption = chosen<boolean | PageSettings>((value) =>
  typeof value === 'object' ? asGiven<PageSettings>(group(settingsShape)) : flag(),
)

interface PagedHost extends Connection {
  readonly unitPrefix?: string
  readonly timing?: ProcessorTiming
}

/**
 * Serves the page on a connection of its own, so that its charges are its own. If App Service authenticates
 * every request to this process, or if `entra` is set, the page is on the host's port. Otherwise it is on the
 * loopback interface. Returns null if the page is off.
 *
 * @throws ConfigurationInvalid if the page needs the host's port, and the host has none
 */
export async function hostPage(
  page: boolean | PageSettings | undefined,
  options: PagedHost,
  server: Pick<StatusServer, 'handOver'> | null,
): Promise<ServedPage | null> {
  if (page === undefined || page === false) return null
  const settings = page === true ? {} : page
  const { port, by = whoAmI(), workflows = [], links, onOpened, entra, publicUrl } = settings
  // The page is loaded only here, because most hosts serve none.
  const { isSignInByPlatform, platformPage, servePage, tokenPage } = await import('../page/index.js')
  const store = {
    settings: settingsOf(options),
    storeArguments: argumentsOf(options),
    links: links ?? processSettings().answerLinks,
    workflows: (workflows as readonly unknown[]).filter(isWorkflow),
  }
  const isByPlatform = isSignInByPlatform(process.env)
  if (!isByPlatform && entra === undefined) {
    return servePage({ ...store, port: port ?? null, by, onOpened: onOpened ?? (() => undefined) })
  }
  if (server === null) throw new ConfigurationInvalid(['page with sign-in needs port: pass port or set PORT'])
  if (entra !== undefined && publicUrl === undefined) {
    throw new ConfigurationInvalid([
      'page.entra needs page.publicUrl, the origin under which people open the page',
    ])
  }
  const served =
    entra === undefined || publicUrl === undefined
      ? await platformPage(store, process.env)
      : await tokenPage(store, { ...entra, publicUrl })
  server.handOver(served.answer)
  return served
}

function settingsOf(options: PagedHost) {
  const connection = Object.entries(options).filter(([name]) => Object.hasOwn(connectionShape, name))
  const { unitPrefix, timing } = options
  return {
    ...Object.fromEntries(connection),
    provision: false,
    ...(unitPrefix === undefined ? {} : { unitPrefix }),
    ...(timing === undefined ? {} : { timing }),
  }
}

/** Returns the options with which commands use the same store, without the key. */
function argumentsOf({ endpoint, database, container, leaseContainer }: PagedHost): readonly string[] {
  const given = {
    '--endpoint': endpoint,
    '--database': database,
    '--container': container,
    '--lease-container': leaseContainer,
  }
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
}
