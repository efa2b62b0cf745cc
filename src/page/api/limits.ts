import { z } from 'zod'
import { withoutUndefined } from '../../platform/internal.js'
import { reason, report } from './performed.js'
import { RequestInvalid, route } from './route.js'

const limitView = z.strictObject({
  key: z.string(),
  atOnce: z.number().nullable(),
  perSecond: z.number().nullable(),
  burst: z.number().nullable(),
  set: z.strictObject({ by: z.string(), at: z.string(), why: z.string() }).nullable(),
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

const set = route({
  method: 'POST',
  path: '/api/actions/limit/set',
  summary: 'Sets how many steps may be at work, in place of the workflows. The rate of the limit stays.',
  asked: z.strictObject({ key, why: reason, atOnce: z.string().trim().min(1) }),
  answer: report,
  handle: async ({ client, by }, { key: name, why, atOnce }) => {
    const { perSecond = null, burst = null } = (await client.limits.get(name)) ?? {}
    const rate = withoutUndefined({ perSecond: perSecond ?? undefined, burst: burst ?? undefined })
    await client.limits.set(name, { ...rate, atOnce: wholeNumberOf(atOnce) }, { by, why })
    return done(name)
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

function wholeNumberOf(given: string): number {
  const number = Number(given)
  if (Number.isInteger(number)) return number
  throw new RequestInvalid(`atOnce ${JSON.stringify(given)} must be a whole number`)
}

/** The routes about limits. */
export const limitRoutes = [limits, set, clear]
