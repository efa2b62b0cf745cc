import { z } from 'zod'
import { isDefinedName, isUnknownName, unknownText } from '../../operations/index.js'
import { withoutUndefined } from '../../platform/internal.js'
import { CommandRefused, type LimitView } from '../../sas/index.js'
import { rowLimit } from './filters.js'
import { noteOnLimit, refuseIfInPartitions } from './limits.js'
import {
  performed,
  reason,
  reasonUnlessDry,
  report,
  warningsOf,
  whyOf,
  selectionShape,
  type JobName,
  type Report,
} from './performed.js'
import type { PageStore } from './page-store.js'
import { RequestInvalid, route } from './route.js'
import { jobSummary } from './shapes.js'

const mostJobs = 100

const pauses = route({
  method: 'GET',
  path: '/api/pauses',
  summary: 'The paused workflows, agents and keys of limits, and the paused jobs.',
  asked: z.strictObject({ limit: rowLimit(mostJobs) }),
  answer: z.strictObject({
    paused: z.array(
      z.strictObject({
        kind: z.enum(['workflow', 'agent', 'key']),
        name: z.string(),
        since: z.string(),
        by: z.string(),
        why: z.string(),
      }),
    ),
    jobs: z.array(jobSummary),
    isCut: z.boolean().meta({ description: 'There are more paused jobs than the limit.' }),
  }),
  handle: async ({ client }, { limit }) => {
    const [targets, keys, jobs] = await Promise.all([
      client.pauses.list(),
      client.limits.listPaused(),
      client.list({ isPaused: true, limit: limit + 1 }),
    ])
    return { paused: [...targets, ...keys], jobs: jobs.slice(0, limit), isCut: jobs.length > limit }
  },
})

/** Jobs by name, or one workflow, agent or key. There is no filter, because the commands have none. */
const { filter: _filter, atMost: _atMost, ...namedShape } = selectionShape
const asked = {
  ...namedShape,
  target: z
    .strictObject({ kind: z.enum(['workflow', 'agent', 'key']), name: z.string().min(1) })
    .optional()
    .meta({ description: 'A workflow, an agent, or a key for all steps with a limit of this key.' }),
}

type Target = z.infer<typeof asked.target>

/** A decision about a pause: who makes it, and why. */
interface Terms {
  readonly by: string
  readonly why: string
  readonly dryRun: boolean
}

const pause = route({
  method: 'POST',
  path: '/api/actions/pause',
  summary: 'Lets no attempt of jobs, of a workflow or of an agent begin until they are resumed.',
  asked: z.strictObject({ ...asked, why: reasonUnlessDry }),
  answer: report,
  handle: async (store, { why: given, target, ...selected }) => {
    const { client, by } = store
    const { dryRun } = selected
    refuseUnlessOne(selected, target)
    const why = whyOf(given, dryRun)
    if (target !== undefined) {
      const known = target.kind === 'key' ? await client.limits.get(target.name) : null
      if (target.kind === 'key' && known === null) refuseIfInPartitions(store, target.name)
      await pauseTarget(client, target, { by, why, dryRun })
      return { ...doneTo(target, dryRun), warnings: await warningsOf(noteOn(store, target, known)) }
    }
    const one = ({ jobId, ...where }: JobName) =>
      client.pause(jobId, why, { by, dryRun, ...withoutUndefined(where) })
    return performed(store, 'pause', selected, { one, all: notByFilter })
  },
})

const resume = route({
  method: 'POST',
  path: '/api/actions/resume',
  summary: 'Ends the pause of jobs, of a workflow, of an agent or of a key.',
  asked: z.strictObject({ ...asked, why: reason.default('resumed') }),
  answer: report,
  handle: async (store, { why, target, ...selected }) => {
    const { client, by } = store
    const { dryRun } = selected
    refuseUnlessOne(selected, target)
    if (target !== undefined) {
      await resumeTarget(client, target, { by, why, dryRun })
      return doneTo(target, dryRun)
    }
    const one = ({ jobId, ...where }: JobName) =>
      client.resume(jobId, { by, why, dryRun, ...withoutUndefined(where) })
    return performed(store, 'resume', selected, { one, all: notByFilter })
  },
})

async function pauseTarget(
  client: PageStore['client'],
  { kind, name }: NonNullable<Target>,
  { by, why, dryRun }: Terms,
): Promise<void> {
  if (kind === 'workflow') await client.pause({ workflow: name }, why, { by, dryRun })
  else if (kind === 'agent') await client.pause({ agent: name }, why, { by, dryRun })
  else if (dryRun) await tryKey(client, 'pause', name)
  else await client.limits.pause(name, { by, why })
}

/**
 * Checks whether a key would accept a pause or its end.
 *
 * @throws CommandRefused or CommandInvalid
 */
async function tryKey(client: PageStore['client'], kind: 'pause' | 'resume', key: string): Promise<void> {
  if (kind === 'pause') await client.limits.check('pause', key)
  const { atOnce = null, set = null } = (await client.limits.get(key)) ?? {}
  const paused = atOnce === 0 ? set : null
  if ((paused !== null) === (kind === 'resume')) return
  const state = paused === null ? 'not paused' : `already paused by ${paused.by} at ${paused.at}`
  throw new CommandRefused(key, `limit ${JSON.stringify(key)} is ${state}`)
}

/** Returns what a person should know about the name that is paused, or null. `known` is the limit before the pause. */
async function noteOn(
  { client, selection, workflows }: PageStore,
  { kind, name }: NonNullable<Target>,
  known: LimitView | null,
): Promise<string | null> {
  if (kind === 'key') return noteOnLimit({ client, workflows }, name, known)
  if (isDefinedName(workflows, { what: kind, name })) return null
  return (await isUnknownName(client, selection, { what: kind, name })) ? unknownText(kind, name) : null
}

async function resumeTarget(
  client: PageStore['client'],
  { kind, name }: NonNullable<Target>,
  terms: Terms,
): Promise<void> {
  if (kind === 'workflow') await client.resume({ workflow: name }, terms)
  else if (kind === 'agent') await client.resume({ agent: name }, terms)
  else if (terms.dryRun) await tryKey(client, 'resume', name)
  else await client.limits.resume(name, { by: terms.by, why: terms.why })
}

function refuseUnlessOne(
  { job, jobs }: { readonly job?: unknown; readonly jobs?: unknown },
  target: Target,
): void {
  if ([job, jobs, target].filter((part) => part !== undefined).length !== 1) {
    throw new RequestInvalid('name exactly one of job, jobs and target')
  }
}

function doneTo({ name }: NonNullable<Target>, isDryRun: boolean): Report {
  return { isDryRun, done: [name], refused: [] }
}

/** Refuses a filter. The shapes of these actions have none, because their commands name each job. */
function notByFilter(): Promise<Report> {
  throw new RequestInvalid('name the jobs: this action has no filter')
}

/** The routes about pauses. */
export const pauseRoutes = [pauses, pause, resume]
