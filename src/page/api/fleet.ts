import { z } from 'zod'
import { roles } from '../../connection/internal.js'
import { notRecorded, scaleWarnings } from '../../operations/index.js'
import { recordFleetDecision, refuseFleetTerms, type FleetDecisionTerms } from '../../sas/internal.js'
import { reasonUnlessDry, report, whyOf } from './performed.js'
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
  asked: z.strictObject({
    role: z.string().min(1),
    count: z.string().trim().min(1),
    why: reasonUnlessDry,
    dryRun,
  }),
  answer: report,
  handle: async (store, { role, count, why: given, dryRun: isDryRun }) => {
    const requested = wholeNumberOf(count)
    refuseUnknown(role)
    const fleet = fleetOf(store)
    const said = saidBy(store, { command: 'scale', given, isDryRun })
    const target = await fleet.targetOf(role)
    const before = await target.instances()
    const instances = isDryRun ? requested : await target.scale(requested)
    const numbers = { role, from: before, to: instances, target: target.place }
    const change = `${target.name}: ${before} → ${instances}`
    const missing = isDryRun ? [] : await recorded(store, { ...said, ...numbers }, change)
    const warnings = [...scaleWarnings(target, requested), ...missing]
    return { isDryRun, done: [change], refused: [], warnings }
  },
})

const rebalance = route({
  method: 'POST',
  path: '/api/actions/rebalance',
  summary: 'Lets the processes of the fleet that the page was started with look for leases now.',
  asked: z.strictObject({ role: z.string().min(1).optional(), why: reasonUnlessDry, dryRun }),
  answer: report,
  handle: async (store, { role, why: given, dryRun: isDryRun }) => {
    if (role !== undefined) refuseUnknown(role)
    const fleet = fleetOf(store)
    const said = saidBy(store, { command: 'rebalance', given, isDryRun })
    const names = await fleet.rebalance(role, isDryRun)
    const numbers = { role: role ?? 'all', from: null, to: null, target: fleet.place }
    const change = 'the processes look for leases'
    const warnings = isDryRun ? [] : await recorded(store, { ...said, ...numbers }, change)
    return { isDryRun, done: [...names], refused: [], warnings }
  },
})

interface Given {
  readonly command: FleetDecisionTerms['command']
  readonly given: string | undefined
  readonly isDryRun: boolean
}

/** Returns who decides and why. Refuses texts that could not be recorded, before the instances are changed. */
function saidBy({ by }: PageStore, { command, given, isDryRun }: Given) {
  const why = whyOf(given, isDryRun)
  refuseFleetTerms(command, { by, why })
  return { command, by, why }
}

/** Records a decision after the change of the instances. Returns a warning if the audit may lack it. */
async function recorded(
  { ports, clock }: PageStore,
  terms: FleetDecisionTerms,
  change: string,
): Promise<string[]> {
  const why = await notRecorded(clock, () => recordFleetDecision({ store: ports.state, clock }, terms))
  return why === null ? [] : [`${change}, but the audit may lack this decision: ${why}`]
}

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
