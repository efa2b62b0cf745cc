import { z } from 'zod'
import { withoutUndefined } from '../../platform/internal.js'
import { JobNotFound, type MigratedAlike, type MigrateReport, type RestartReport } from '../../sas/index.js'
import { alike } from '../../sas/internal.js'
import { copied, refuseParts, workflowNamed } from './actions.js'
import { selectedBy } from './filters.js'
import { performed, reasonUnlessDry, report, selectionShape, whyOf } from './performed.js'
import { RequestInvalid, route } from './route.js'
import { edit } from './shapes.js'

const restarted = z
  .strictObject({
    jobId: z.string(),
    partitionKey: z.string(),
    from: z.string(),
    carried: z.array(z.string()),
    again: z.array(z.string()),
    undone: z.array(z.string()),
    kept: z
      .array(z.string())
      .meta({ description: 'Steps that run again without an undo. If they have acted, their effects stay.' }),
    repeated: z
      .array(z.string())
      .meta({ description: 'Steps that run again although they succeeded, and that have no undo.' }),
    isNew: z.boolean().meta({ description: 'False if an earlier request made this restart.' }),
  })
  .optional()
  .meta({ description: 'The new job, and what becomes of each step, if the action was on one job.' })

const restart = route({
  method: 'POST',
  path: '/api/actions/restart',
  summary: 'Restarts jobs from a step as new jobs, and carries over what was done before it.',
  asked: z.strictObject({
    ...selectionShape,
    from: z.string().min(1).meta({ description: 'The first step that runs again.' }),
    input: z.unknown().optional().meta({ description: 'The new input of the job.' }),
    stepInput: z.unknown().optional().meta({ description: 'The new input of the step "from".' }),
    as: z.string().min(1).optional().meta({ description: 'The id of the new job. Default: JOB.r1.' }),
    after: z
      .enum(['undo', 'keep'])
      .optional()
      .meta({ description: 'What becomes of effects of steps that run again.' }),
    why: reasonUnlessDry,
  }),
  answer: report.extend({ restarted }),
  handle: async (store, { from, input, stepInput, as, after, why: given, ...selected }) => {
    const { client, by, clock, workflows } = store
    refuseParts(selected, { input, stepInput, as })
    const { dryRun } = selected
    const why = whyOf(given, dryRun)
    const terms = { from, by, why, dryRun, workflows, ...withoutUndefined({ input, stepInput, after }) }
    const made: RestartReport[] = []
    const found = await performed(store, 'restart', selected, {
      one: async ({ jobId, ...where }) => {
        made.push(await client.restart(jobId, { ...terms, ...withoutUndefined({ ...where, as }) }))
      },
      all: async (filter, progress) =>
        copied(await client.select(selectedBy(filter, clock.now())).restart({ ...terms, ...progress })),
    })
    const [only] = made
    return selected.job === undefined || only === undefined ? found : { ...found, restarted: newJobOf(only) }
  },
})

function newJobOf({ carried, again, undone, kept, repeated, ...report }: RestartReport) {
  const { jobId, partitionKey, from, isNew } = report
  const steps = { carried: [...carried], again: [...again], undone: [...undone], kept: [...kept] }
  return { jobId, partitionKey, from, ...steps, repeated: [...repeated], isNew }
}

/** The largest number of plans in a report. */
const maxPlans = 20

const migrated = z
  .array(
    z.strictObject({
      jobIds: z.array(z.string()),
      changed: z.array(z.string()),
      kept: z
        .array(z.string())
        .meta({ description: 'Steps that differ, and have begun with their old plan.' }),
      edit,
    }),
  )
  .optional()
  .meta({
    description: `What changes in the plans, for each group of jobs with the same changes. At most ${maxPlans} groups.`,
  })

const migrate = route({
  method: 'POST',
  path: '/api/actions/migrate',
  summary:
    'Replaces the plan of jobs by the definition in the module that the page was started with. A filter needs the workflow.',
  asked: z.strictObject({ ...selectionShape, why: reasonUnlessDry }),
  answer: report.extend({
    migrated,
    otherPlans: z.number().meta({ description: 'The number of groups that "migrated" leaves out.' }),
  }),
  handle: async (store, { why: given, ...selected }) => {
    const { client, by, clock } = store
    const { dryRun } = selected
    const why = whyOf(given, dryRun)
    const terms = { by, why, dryRun }
    const made: MigrateReport[] = []
    const groups: MigratedAlike[] = []
    const found = await performed(store, 'migrate', selected, {
      one: async ({ jobId, ...given }) => {
        const where = withoutUndefined(given)
        const job = await client.get(jobId, where)
        if (job === null) throw new JobNotFound(jobId)
        const { workflow } = await job.view()
        made.push(await client.migrate(jobId, workflowNamed(store, workflow), { ...terms, ...where }))
      },
      all: async (filter, progress) => {
        const { workflow } = filter
        if (workflow === undefined) throw new RequestInvalid('the filter of a migration needs workflow')
        const selection = client.select(selectedBy(filter, clock.now()))
        const report = await selection.migrate(workflowNamed(store, workflow), { ...terms, ...progress })
        groups.push(...report.migrated)
        return copied(report)
      },
    })
    return { ...found, ...plansOf([...alike(made), ...groups]) }
  },
})

/** Returns the first groups, and the number of the others. */
export function plansOf(groups: readonly MigratedAlike[]) {
  const shown = groups.slice(0, maxPlans).map(({ jobIds, changed, kept, edit: { changes, others } }) => ({
    jobIds: [...jobIds],
    changed: [...changed],
    kept: [...kept],
    edit: { changes: [...changes], others },
  }))
  return { migrated: shown, otherPlans: groups.length - shown.length }
}

/** The routes that give jobs another course: a new job from a step, or a newer plan. */
export const repairs = [restart, migrate]
