import { z } from 'zod'
import { counted } from '../platform/internal.js'
import { AzureRefused, type ResourceManager } from './resource-manager.js'
import type { ScaleTarget } from './scale-target.js'

export interface AppServiceApp {
  readonly name: string
  readonly resourceGroup: string
  /**
   * The id of the subscription. Required if this login sees several subscriptions. Default: the login's only
   * subscription.
   */
  readonly subscription?: string
}

const api = 'api-version=2024-04-01'

const siteSchema = z.object({ properties: z.object({ serverFarmId: z.string() }) })
const configSchema = z.object({ properties: z.object({ numberOfWorkers: z.number().nullish() }) })
const planSchema = z.object({
  sku: z.object({ name: z.string(), capacity: z.number() }),
  properties: z.object({ perSiteScaling: z.boolean().nullish() }),
})
const subscriptionsSchema = z.object({
  value: z.array(z.object({ subscriptionId: z.string(), displayName: z.string() })),
})

interface Found {
  readonly sitePath: string
  readonly planPath: string
  readonly planName: string
  readonly capacity: number
  /** Whether apps of the plan are scaled separately. If not, all apps have the plan's capacity. */
  readonly isPerSite: boolean
}

/**
 * Returns a target that scales an app of App Service. If the plan scales apps separately, the app's own
 * number of instances is changed. The plan grows if necessary, but it never shrinks, because other apps use
 * the plan. If the plan does not scale apps separately, its capacity is changed.
 */
export function appService(app: AppServiceApp, azure: ResourceManager): ScaleTarget {
  let sought: Promise<Found> | null = null
  const found = (): Promise<Found> => (sought ??= find(app, azure))
  return {
    name: `app ${app.name}`,
    place: `app ${app.name}`,
    role: null,
    instances: async () => {
      const { sitePath, isPerSite, capacity } = await find(app, azure)
      if (!isPerSite) return capacity
      const { properties } = configSchema.parse(await azure.get(`${sitePath}/config/web?${api}`))
      return Math.min(properties.numberOfWorkers ?? capacity, capacity)
    },
    scale: async (count) => {
      const { sitePath, planPath, planName, isPerSite, capacity } = await found()
      if (!isPerSite || capacity < count) {
        await azure.patch(`${planPath}?${api}`, { sku: { name: planName, capacity: count } })
        sought = null
      }
      if (isPerSite) {
        await azure.patch(`${sitePath}/config/web?${api}`, { properties: { numberOfWorkers: count } })
      }
      return count
    },
  }
}

async function find(app: AppServiceApp, azure: ResourceManager): Promise<Found> {
  const subscription = app.subscription ?? (await onlySubscription(azure))
  const resourceGroup = encodeURIComponent(app.resourceGroup)
  const group = `/subscriptions/${encodeURIComponent(subscription)}/resourceGroups/${resourceGroup}`
  const sitePath = `${group}/providers/Microsoft.Web/sites/${encodeURIComponent(app.name)}`
  const planPath = siteSchema.parse(await azure.get(`${sitePath}?${api}`)).properties.serverFarmId
  const { sku, properties } = planSchema.parse(await azure.get(`${planPath}?${api}`))
  const isPerSite = properties.perSiteScaling === true
  return { sitePath, planPath, planName: sku.name, capacity: sku.capacity, isPerSite }
}

async function onlySubscription(azure: ResourceManager): Promise<string> {
  const { value } = subscriptionsSchema.parse(await azure.get('/subscriptions?api-version=2022-12-01'))
  const [only, ...others] = value
  if (only !== undefined && others.length === 0) return only.subscriptionId
  const names = value
    .map(({ displayName, subscriptionId }) => `${displayName} (${subscriptionId})`)
    .join(', ')
  throw new AzureRefused(
    `this login sees ${counted(value.length, 'subscription')}${names && `: ${names}`}: pass ` +
      '--subscription ID',
    0,
  )
}
