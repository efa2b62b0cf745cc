import { z } from 'zod'
import { instantOf } from '../../operations/index.js'
import { withoutUndefined } from '../../platform/internal.js'
import { ScheduleNotFound, type ScheduleOptions } from '../../sas/index.js'
import { readScheduleTicks } from '../../sas/internal.js'
import { parsedBy, workflowNamed } from './actions.js'
import { reason, reasonUnlessDry, report, whyOf } from './performed.js'
import { RequestInvalid, route } from './route.js'
import { decision, state } from './shapes.js'

const passedRow = z.strictObject({
  reason: z.enum(['late', 'overlap', 'paused', 'refused']),
  from: z.string(),
  to: z.string(),
  count: z.number(),
  message: z.string(),
})

const scheduleView = z.strictObject({
  id: z.string(),
  workflow: z.string(),
  cron: z.string().nullable(),
  timeZone: z.string().nullable(),
  everyMs: z.number().nullable(),
  overlap: z.enum(['skip', 'queue', 'allow', 'cancelPrevious']),
  catchUpMs: z.number(),
  jitterMs: z.number(),
  nextDue: z.string().nullable(),
  last: z.strictObject({ due: z.string(), jobId: z.string() }).nullable(),
  submitted: z.number(),
  missed: z.number(),
  skipped: z.number(),
  passed: z.array(passedRow),
  paused: z.strictObject({ since: z.string(), by: z.string(), why: z.string() }).nullable(),
  audit: z.array(
    decision.extend({ command: z.enum(['pause', 'resume', 'trigger', 'backfill', 'delete', 'set']) }),
  ),
})

/** The number of ticks that are shown before and after the present. */
const shownTicks = 10

const schedules = route({
  method: 'GET',
  path: '/api/schedules',
  summary: 'All schedules, by id.',
  asked: z.strictObject({}),
  answer: z.array(scheduleView),
  handle: ({ client }) => client.schedules.list(),
})

const schedule = route({
  method: 'GET',
  path: '/api/schedule',
  summary: 'One schedule, with its next ticks and with the jobs of its last ticks.',
  asked: z.strictObject({ id: z.string().min(1) }),
  answer: z.strictObject({
    schedule: scheduleView,
    next: z.array(z.string()),
    previous: z.array(z.strictObject({ due: z.string(), jobId: z.string(), state: state.nullable() })),
  }),
  handle: async ({ ports, clock }, { id }) => {
    const found = await readScheduleTicks({ store: ports.state, clock }, id, shownTicks)
    if (found === null) throw new ScheduleNotFound(id)
    return found
  },
})

const scheduleName = z.string().min(1)
const named = { schedule: scheduleName, why: reason }
/** The fields of an action that can be tried first. */
const tried = { schedule: scheduleName, why: reasonUnlessDry, dryRun: z.boolean().default(false) }

const part = z.string().trim().min(1).optional()

const set = route({
  method: 'POST',
  path: '/api/actions/schedule/set',
  summary: 'Creates a schedule, or changes the parts that are named. Other parts stay.',
  asked: z.strictObject({
    ...tried,
    workflow: part.meta({ description: 'A workflow of the module that the page was started with.' }),
    cron: part,
    timeZone: part,
    every: part,
    overlap: part,
    catchUp: part,
    jitter: part,
    input: z.unknown().optional().meta({ description: 'The input of each job.' }),
  }),
  answer: report,
  handle: async (store, { schedule: id, why: stated, dryRun, workflow: name, input: given, ...texts }) => {
    const why = whyOf(stated, dryRun)
    const workflow = name === undefined ? undefined : workflowNamed(store, name)
    const input = workflow === undefined || given === undefined ? given : parsedBy(workflow, given)
    // The library checks the texts, because it has the rules.
    const parts = { ...texts, workflow, input } as Partial<ScheduleOptions<unknown>>
    await store.client.schedules.change(id, withoutUndefined(parts), { by: store.by, why, dryRun })
    return { ...done([id]), isDryRun: dryRun }
  },
})

const pause = route({
  method: 'POST',
  path: '/api/actions/schedule/pause',
  summary: 'Submits no more ticks of a schedule until it is resumed.',
  asked: z.strictObject(named),
  answer: report,
  handle: async ({ client, by }, { schedule: id, why }) => {
    await client.schedules.pause(id, { by, why })
    return done([id])
  },
})

const resume = route({
  method: 'POST',
  path: '/api/actions/schedule/resume',
  summary: 'Ends a pause. The ticks during the pause count as skipped.',
  asked: z.strictObject(named),
  answer: report,
  handle: async ({ client, by }, { schedule: id, why }) => {
    await client.schedules.resume(id, { by, why })
    return done([id])
  },
})

const trigger = route({
  method: 'POST',
  path: '/api/actions/schedule/trigger',
  summary: 'Submits one job of a schedule now, besides its ticks.',
  asked: z.strictObject(named),
  answer: report,
  handle: async ({ client, by }, { schedule: id, why }) =>
    done([await client.schedules.trigger(id, { by, why })]),
})

const when = z.string().min(1).meta({ description: 'An age such as 2h, or a date.' })

const backfill = route({
  method: 'POST',
  path: '/api/actions/schedule/backfill',
  summary: 'Submits the ticks of a time in the past. A tick that was submitted is left alone.',
  asked: z.strictObject({ ...tried, from: when, to: when }),
  answer: report,
  handle: async ({ client, by, clock }, { schedule: id, why: given, dryRun, ...times }) => {
    const why = whyOf(given, dryRun)
    const [from, to] = [timeOf('from', times.from, clock.now()), timeOf('to', times.to, clock.now())]
    const { submitted, existing } = await client.schedules.backfill(id, { from, to, by, why, dryRun })
    const refused = existing.map((jobId) => ({ jobId, reason: 'the tick had been submitted before' }))
    return { isDryRun: dryRun, done: [...submitted], refused }
  },
})

const remove = route({
  method: 'POST',
  path: '/api/actions/schedule/delete',
  summary: 'Deletes a schedule. Its jobs stay.',
  roles: [],
  asked: z.strictObject(named),
  answer: report,
  handle: async ({ client, by }, { schedule: id, why }) => {
    await client.schedules.delete(id, { by, why })
    return done([id])
  },
})

function done(ids: string[]) {
  return { isDryRun: false, done: ids, refused: [] }
}

function timeOf(name: string, given: string, nowMs: number): Date {
  const ms = instantOf(given, nowMs)
  if (ms !== null) return new Date(ms)
  throw new RequestInvalid(`${name} ${JSON.stringify(given)} must be an age such as 2h, or a date`)
}

/** The routes about schedules. */
export const scheduleRoutes = [schedules, schedule, set, pause, resume, trigger, backfill, remove]
