import { z } from 'zod'
import { withoutUndefined } from '../platform/internal.js'
import { ConfigurationInvalid } from './errors.js'

/** The settings that a process reads from its environment, except the connection. */
export interface ProcessSettings {
  /** Role names, which may include `all`. They are not checked. */
  readonly roles?: readonly string[]
  readonly module?: string
  readonly unitPrefix?: string
  readonly instanceName?: string
  /** The URL to which the role `notifier` posts alerts. */
  readonly alertWebhook?: string
  readonly port?: number
  /** The address at which processes on other machines reach this one. */
  readonly wakeAddress?: string
  /** False for a process that must not run, for example in a staging slot that uses the production store. */
  readonly isEnabled: boolean
  /** The settings of the page for operators, if the process serves it. */
  readonly page?: {
    readonly entra?: { readonly tenantId: string; readonly clientId: string }
    readonly publicUrl?: string
  }
  /** The public address of signed links, and their secrets, the newest first. */
  readonly answerLinks?: { readonly publicUrl: string; readonly keys: readonly string[] }
  /** The subscription that commands for Azure use. */
  readonly azureSubscription?: string
  /** The endpoint of Azure Resource Manager outside the public cloud. */
  readonly azureEndpoint?: string
  /** The time from SIGTERM until the platform kills this process, in milliseconds, minus a margin of 500. */
  readonly stopWithinMs: number
}

const text = z.string().transform((value) => (value.trim() === '' ? undefined : value.trim()))

const environmentSchema = z.object({
  STEPWARD_ROLES: text.optional(),
  STEPWARD_MODULE: text.optional(),
  STEPWARD_UNIT_PREFIX: text.optional(),
  STEPWARD_INSTANCE_NAME: text.optional(),
  STEPWARD_ALERT_WEBHOOK: text.optional(),
  STEPWARD_WAKE_ADDRESS: text.optional(),
  STEPWARD_LINK_KEY: text.optional(),
  WEBSITE_PRIVATE_IP: text.optional(),
  WEBSITE_PRIVATE_PORTS: text.optional(),
  STEPWARD_ENABLED: z.enum(['true', 'false', '1', '0', '']).optional(),
  STEPWARD_PAGE: z.enum(['true', 'false', '1', '0', '']).optional(),
  STEPWARD_PAGE_TENANT_ID: text.optional(),
  STEPWARD_PAGE_CLIENT_ID: text.optional(),
  STEPWARD_PUBLIC_URL: text.optional(),
  AZURE_SUBSCRIPTION_ID: text.optional(),
  AZURE_RESOURCE_MANAGER_ENDPOINT: text.optional(),
  PORT: z
    .string()
    .regex(/^\d{1,5}$|^$/, 'must be a port number')
    .optional(),
  WEBSITES_CONTAINER_STOP_TIME_LIMIT: z
    .string()
    .regex(/^\d{1,3}$|^$/, 'must be a number of seconds')
    .optional(),
})

/** The shortest time that App Service gives a process to stop, in seconds. */
const leastStopSeconds = 5
/** The part of the stop time that is reserved for the end of the process itself. */
const marginMs = 500

/**
 * Reads the settings of this process from the environment.
 *
 * @throws ConfigurationInvalid with every variable that has an invalid value
 */
export function processSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ProcessSettings {
  const read = environmentSchema.safeParse(environment)
  if (!read.success) {
    throw new ConfigurationInvalid(
      read.error.issues.map(({ path, message }) => `environment variable ${path.join('.')}: ${message}`),
    )
  }
  const { STEPWARD_ROLES: roles, STEPWARD_MODULE: module, STEPWARD_UNIT_PREFIX: unitPrefix } = read.data
  const {
    STEPWARD_INSTANCE_NAME: instanceName,
    PORT: port,
    STEPWARD_ENABLED: enabled,
    STEPWARD_PAGE: page,
  } = read.data
  const { STEPWARD_ALERT_WEBHOOK: alertWebhook } = read.data
  const { AZURE_SUBSCRIPTION_ID: subscription, AZURE_RESOURCE_MANAGER_ENDPOINT: endpoint } = read.data
  const stopSeconds = Math.max(leastStopSeconds, Number(read.data.WEBSITES_CONTAINER_STOP_TIME_LIMIT ?? 0))
  return {
    ...withoutUndefined({
      roles: roles?.split(/[\s,]+/),
      module,
      unitPrefix,
      instanceName,
      alertWebhook,
      wakeAddress: read.data.STEPWARD_WAKE_ADDRESS ?? privateAddress(read.data),
      azureSubscription: subscription,
      azureEndpoint: endpoint,
    }),
    ...(port === undefined || port === '' ? {} : { port: Number(port) }),
    isEnabled: enabled !== 'false' && enabled !== '0',
    ...(page === 'true' || page === '1' ? { page: pageSettings(read.data) } : {}),
    ...answerLinksIn(read.data),
    stopWithinMs: stopSeconds * 1_000 - marginMs,
  }
}

/** @throws ConfigurationInvalid if only one of the two ids of an application is set */
function pageSettings(found: {
  readonly STEPWARD_PAGE_TENANT_ID?: string | undefined
  readonly STEPWARD_PAGE_CLIENT_ID?: string | undefined
  readonly STEPWARD_PUBLIC_URL?: string | undefined
}): NonNullable<ProcessSettings['page']> {
  const {
    STEPWARD_PAGE_TENANT_ID: tenantId,
    STEPWARD_PAGE_CLIENT_ID: clientId,
    STEPWARD_PUBLIC_URL: publicUrl,
  } = found
  if ((tenantId === undefined) !== (clientId === undefined)) {
    throw new ConfigurationInvalid([
      'set both STEPWARD_PAGE_TENANT_ID and STEPWARD_PAGE_CLIENT_ID, or neither of them',
    ])
  }
  const entra = tenantId === undefined || clientId === undefined ? {} : { entra: { tenantId, clientId } }
  return { ...entra, ...withoutUndefined({ publicUrl }) }
}

/**
 * Returns the settings of signed links. Two secrets are separated by a comma.
 *
 * @throws ConfigurationInvalid if there is a secret and no public address
 */
function answerLinksIn(found: {
  readonly STEPWARD_PUBLIC_URL?: string | undefined
  readonly STEPWARD_LINK_KEY?: string | undefined
}): Pick<ProcessSettings, 'answerLinks'> {
  const { STEPWARD_PUBLIC_URL: publicUrl, STEPWARD_LINK_KEY: keys } = found
  if (keys === undefined) return {}
  if (publicUrl === undefined)
    throw new ConfigurationInvalid(['STEPWARD_LINK_KEY needs STEPWARD_PUBLIC_URL, the origin of the links'])
  return { answerLinks: { publicUrl, keys: keys.split(',').map((key) => key.trim()) } }
}

/**
 * Returns the private address of this instance on App Service, or undefined. App Service provides it if the
 * app is integrated into a virtual network and asks for private ports.
 */
function privateAddress(found: {
  readonly WEBSITE_PRIVATE_IP?: string | undefined
  readonly WEBSITE_PRIVATE_PORTS?: string | undefined
}): string | undefined {
  const { WEBSITE_PRIVATE_IP: address, WEBSITE_PRIVATE_PORTS: ports } = found
  const [port = ''] = (ports ?? '').split(',')
  return address === undefined || port === '' ? undefined : `http://${address}:${port.trim()}`
}
