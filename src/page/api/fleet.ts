import { z } from 'zod'
import { roles } from '../../connection/internal.js'
import { scaleWarnings } from '../../operations/index.js'
import { report } from './performed.js'
import type { FleetControl, PageStore } from './page-store.js'
import { RequestInvalid, route } from './route.js'

const dryRun = z.boolean().default(false)
const mostInstances = 256

const wanted = route({
  method: 'GET',
  path: '/api/fleet',
  summary: 'How many instances should run, in the fleet or the app that the page was started with.',
  asked: z.strictObject({}),
  answer: z.strictObject({
    counts: z
      .record(z.string(), z.number())
      .meta({ description: 'By the role, or by the name of an app with any roles.' }),
    isByRole: z.boolean(),
    problem: z.string().nullable().meta({ description: 'Why the counts are unknown.' }),
  }),
  handle: (store) => fleetOf(store).wanted(),
})

const scale = route({
  method: 'POST',
  path: '/api/actions/scale',
  summary:
    'Changes how many instances of a role run, in the fleet or the app that the page was started with.',
  roles: [],
  asked: z.strictObject({ role: z.string().min(1), count: z.string().trim().min(1), dryRun }),
  answer: report,
  handle: async (store, { role, count, dryRun: isDryRun }) => {
    const requested = wholeNumberOf(count)
    refuseUnknown(role)
    const target = await fleetOf(store).targetOf(role)
    const before = await target.instances()
    const instances = isDryRun ? requested : await target.scale(requested)
    const warnings = [...scaleWarnings(target, requested)]
    return { isDryRun, done: [`${target.name}: ${before} → ${instances}`], refused: [], warnings }
  },
})

const rebalance = route({
  method: 'POST',
  path: '/api/actions/rebalance',
  summary: 'Lets the processes of the fleet that the page was started with look for leases now.',
  asked: z.strictObject({ role: z.string().min(1).optional(), dryRun }),
  answer: report,
  handle: async (store, { role, dryRun: isDryRun }) => {
    if (role !== undefined) refuseUnknown(role)
    const names = await fleetOf(store).rebalance(role, isDryRun)
    return { isDryRun, done: [...names], refused: [] }
  },
})

function fleetOf({ fleet }: PageStore): FleetControl {
  if (fleet !== null) return fleet
  const advice = 'use "stepward page", with --state DIR or --app-service NAME --resource-group NAME'
  throw new RequestInvalid(`this page was started without instances to scale: ${advice}`)
}

function refuseUnknown(role: string): void {
  const known = [...roles, 'all']
  if (!known.includes(role)) {
    throw new RequestInvalid(`role ${JSON.stringify(role)} must be one of ${known.join(', ')}`)
  }
}

function wholeNumberOf(given: string): number {
  const number = Number(given)
  if (Number.isInteger(number) && number >= 0 && number <= mostInstances) return number
  const rule = `must be a whole number from 0 to ${mostInstances}`
  throw new RequestInvalid(`count ${JSON.stringify(given)} ${rule}`)
}

/** The routes about instances. */
export const fleetRoutes = [wanted, scale, rebalance]
