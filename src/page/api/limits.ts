import { z } from 'zod'
import { definedLimit, limitNote, onlyInPartitions } from '../../operations/index.js'
import { withoutUndefined } from '../../platform/internal.js'
import type { LimitView } from '../../sas/index.js'
import type { PageStore } from './page-store.js'
import { reason, report, warningsOf } from './performed.js'
import { RequestInvalid, route } from './route.js'

const limitView = z.strictObject({
  key: z.string(),
  atOnce: z.number().nullable(),
  perSecond: z.number().nullable(),
  burst: z.number().nullable(),
  set: z.strictObject({ by: z.string(), at: z.string(), why: z.string() }).nullable(),
  isPaused: z.boolean().meta({ description: 'Whether the key is paused. A paused key cannot be set.' }),
  inside: z.array(z.strictObject({ jobId: z.string(), stepId: z.string() })),
  waiting: z.number(),
  groups: z.array(z.strictObject({ group: z.string(), waiting: z.number() })),
})

const limits = route({
  method: 'GET',
  path: '/api/limits',
  summary: 'The limits that steps share, with the steps at work and the groups that wait, by key.',
  asked: z.strictObject({}),
  answer: z.array(limitView),
  handle: async ({ client }) =>
    (await client.limits.list()).map(({ inside, groups, ...limit }) => ({
      ...limit,
      inside: [...inside],
      groups: [...groups],
    })),
})

const key = z.string().min(1)

/** A number, as a person typed it. The library checks its range. */
const typed = z.string().trim().min(1).optional()

const set = route({
  method: 'POST',
  path: '/api/actions/limit/set',
  summary: 'Sets the numbers of a limit, in place of the workflows. A number that is not named stays.',
  asked: z.strictObject({
    key,
    why: reason,
    atOnce: typed.meta({ description: 'The largest number of steps at work, such as "5".' }),
    perSecond: typed.meta({ description: 'The largest number of attempts that begin in a second.' }),
    burst: typed.meta({ description: 'The largest number of attempts that begin at once.' }),
  }),
  answer: report,
  handle: async ({ client, by, workflows }, { key: name, why, ...given }) => {
    const numbers = withoutUndefined(given)
    if (Object.keys(numbers).length === 0) {
      throw new RequestInvalid('name a number of the limit: atOnce, perSecond or burst')
    }
    const wanted = Object.entries(numbers).map(([field, text]) => [field, numberOf(field, text)] as const)
    const known = await client.limits.get(name)
    if (known === null) refuseIfInPartitions({ workflows }, name)
    const { atOnce, perSecond, burst } = known ?? {}
    const present = withoutUndefined({
      atOnce: atOnce ?? undefined,
      perSecond: perSecond ?? undefined,
      burst: burst ?? undefined,
    })
    await client.limits.set(name, { ...present, ...Object.fromEntries(wanted) }, { by, why })
    return { ...done(name), warnings: await warningsOf(noteOnLimit({ client, workflows }, name, known)) }
  },
})

const clear = route({
  method: 'POST',
  path: '/api/actions/limit/clear',
  summary: 'Gives a limit back to the workflows.',
  asked: z.strictObject({ key, why: reason.default('cleared') }),
  answer: report,
  handle: async ({ client, by }, { key: name, why }) => {
    await client.limits.clear(name, { by, why })
    return done(name)
  },
})

function done(name: string) {
  return { isDryRun: false, done: [name], refused: [] }
}

function numberOf(field: string, given: string): number {
  const number = Number(given)
  if (Number.isFinite(number)) return number
  throw new RequestInvalid(`${field} ${JSON.stringify(given)} must be a number`)
}

/**
 * Refuses a decision on a key that the module of the page has only in each partition, because it would change nothing.
 *
 * @throws RequestInvalid
 */
export function refuseIfInPartitions({ workflows }: Pick<PageStore, 'workflows'>, key: string): void {
  if (definedLimit(key, workflows) === 'inPartitions') throw new RequestInvalid(onlyInPartitions(key))
}

/**
 * Returns what a person should know about the key of a decision, or null. A key that the module of the page defines is not
 * misspelt, even if no step has come to it. `known` is the limit before the decision.
 */
export async function noteOnLimit(
  { client, workflows }: Pick<PageStore, 'client' | 'workflows'>,
  key: string,
  known: LimitView | null,
): Promise<string | null> {
  if (known === null && definedLimit(key, workflows) === 'shared') return null
  return limitNote(client, key, known)
}

/** The routes about limits. */
export const limitRoutes = [limits, set, clear]
