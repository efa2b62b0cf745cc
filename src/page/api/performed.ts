import { z } from 'zod'
import { CommandInvalid, CommandRefused, JobNotFound, JobUnreadable, StepNotFound } from '../../sas/index.js'
import { misspeltNames } from '../../operations/index.js'
import { counted, withoutUndefined } from '../../platform/internal.js'
import { selectedShape } from './filters.js'
import type { Progress } from './operation-log.js'
import type { PageStore } from './page-store.js'
import { RequestInvalid } from './route.js'

export const jobName = z.strictObject({
  jobId: z.string().min(1),
  partitionKey: z.string().min(1).optional(),
})

export type JobName = z.infer<typeof jobName>

/** The largest number of jobs that one request names. More jobs are selected by a filter. */
const mostNamed = 10_000

/** The jobs of an action. Exactly one of the fields is given. */
export const selectionShape = {
  job: jobName.optional(),
  jobs: z.array(jobName).min(1).max(mostNamed).optional(),
  filter: z
    .strictObject(selectedShape)
    .optional()
    .meta({ description: 'Every job that matches. An empty filter matches every job.' }),
  dryRun: z.boolean().default(false).meta({ description: 'Only check, and write nothing.' }),
  atMost: z.number().int().min(0).optional().meta({
    description:
      'The largest number of jobs. If more match the filter, nothing is written. A dry run finds the number.',
  }),
  operation: z.uuid().optional().meta({
    description:
      'The id under which an action on many jobs is listed, so that it can be followed and stopped. A dry run can be stopped, too.',
  }),
}

const reasonRule = {
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined || typeof input === 'string' ? 'is missing: say why' : 'must be a text that says why',
}

export const reason = z
  .string(reasonRule)
  .trim()
  .min(1, reasonRule)
  .meta({ description: 'The reason, stored with the decision.' })

/** The reason of an action that can be tried first. `whyOf` demands it if the action is real. */
export const reasonUnlessDry = reason.optional().meta({
  description: 'The reason, stored with the decision. Only a dry run needs none.',
})

/** Returns the reason of an action. A dry run stores none, so it may have none. */
export function whyOf(why: string | undefined, dryRun: boolean): string {
  if (why !== undefined) return why
  if (dryRun) return 'dry run'
  throw new RequestInvalid('why is missing: say why')
}

/** Returns a note as a list. The action is carried out, so an error here changes nothing. */
export async function warningsOf(note: Promise<string | null>): Promise<string[]> {
  const text = await note.catch(() => null)
  return text === null ? [] : [text]
}

/** The answer of every action: what accepted it, and what refused it, with the reason. */
export const report = z.strictObject({
  isDryRun: z.boolean(),
  done: z.array(z.string()),
  refused: z.array(z.strictObject({ jobId: z.string(), reason: z.string() })),
  isStopped: z.boolean().optional().meta({
    description: 'True if a person stopped the action or the dry run. The report may then lack jobs.',
  }),
  warnings: z
    .array(z.string())
    .optional()
    .meta({ description: 'What a person should know besides, such as that a name may be misspelt.' }),
})

export type Report = z.infer<typeof report>

export interface Selected {
  readonly job?: JobName | undefined
  readonly jobs?: readonly JobName[] | undefined
  readonly filter?: z.infer<NonNullable<typeof selectionShape.filter>> | undefined
  readonly dryRun: boolean
  readonly atMost?: number | undefined
  readonly operation?: string | undefined
}

interface Perform {
  readonly one: (name: JobName) => Promise<unknown>
  readonly all: (filter: NonNullable<Selected['filter']>, progress: Progress) => Promise<Report>
}

/** Carries out an action on the selected jobs. A refusal of a single job is an error. */
export async function performed(
  { operations, by, clock, client, workflows }: PageStore,
  command: string,
  selected: Selected,
  { one, all }: Perform,
): Promise<Report> {
  const { job, jobs, filter, dryRun, atMost = Infinity, operation } = selected
  if ([job, jobs, filter].filter((part) => part !== undefined).length !== 1) {
    throw new RequestInvalid('name exactly one of job, jobs and filter')
  }
  if (job !== undefined) {
    await one(job)
    return { isDryRun: dryRun, done: [job.jobId], refused: [] }
  }
  const many = async (progress: Progress): Promise<Report> => {
    if (filter === undefined) return eachOf(jobs ?? [], { isDryRun: dryRun, progress, clock }, one)
    const made = await all(filter, limited(progress, atMost))
    if (progress.signal.aborted || made.done.length + made.refused.length > 0) return made
    const warnings = await misspeltNames(client, withoutUndefined(filter), () => workflows)
    return warnings.length === 0 ? made : { ...made, warnings }
  }
  const id = operation ?? operations.newId()
  if (operations.has(id)) throw new RequestInvalid('this operation was begun before: choose another id')
  const told = async (progress: Progress): Promise<Report> => {
    const made = await many(progress)
    return progress.signal.aborted ? { ...made, isStopped: true } : made
  }
  // A dry run changes nothing, so it is not listed.
  if (dryRun) return operations.tryOut(id, told)
  return operations.run({ id, command, filter: filter === undefined ? null : textsOf(filter), by }, told)
}

/** Returns the same progress, but refuses to begin if there are more jobs than a person has agreed to. */
function limited(progress: Progress, atMost: number): Progress {
  return {
    ...progress,
    onProgress: (reached, total) => {
      if (reached === 0 && total > atMost) {
        const now = counted(total, 'job matches', 'jobs match')
        throw new RequestInvalid(`${now} now, not ${atMost}: nothing was written; a dry run lists them`)
      }
      progress.onProgress(reached, total)
    },
  }
}

function textsOf(filter: object): Record<string, string> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}

interface Each {
  readonly isDryRun: boolean
  readonly progress: Progress
  readonly clock: PageStore['clock']
}

/** Carries out an action on each job. Lists the jobs that refuse it, and continues with the others. */
export async function eachOf(
  jobs: readonly JobName[],
  { isDryRun, progress, clock }: Each,
  one: Perform['one'],
): Promise<Report> {
  const done: string[] = []
  const refused: Report['refused'] = []
  progress.onProgress(0, jobs.length)
  for (const name of jobs) {
    if (progress.signal.aborted) break
    // A store in this process answers at once, so the server could answer no other request until the end.
    await clock.sleep(0)
    try {
      await one(name)
      done.push(name.jobId)
    } catch (error) {
      if (!isAboutOne(error)) throw error
      refused.push({ jobId: name.jobId, reason: error.message })
    }
    progress.onProgress(done.length + refused.length, jobs.length)
  }
  return { isDryRun, done, refused }
}

function isAboutOne(error: unknown): error is Error {
  const types = [CommandRefused, CommandInvalid, JobNotFound, JobUnreadable, StepNotFound, RequestInvalid]
  return types.some((type) => error instanceof type)
}
