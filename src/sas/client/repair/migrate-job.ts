import { concealerAmong } from '../../plan/hide-documents.js'
import { unseen } from '../../decisions/ledger.js'
import { migrate, type Migrated } from '../../decisions/operator/migrate.js'
import type { JobDocument, Json, StepDocument } from '../../model/documents.js'
import { CommandRefused, JobNotFound, StoreUnavailable } from '../../model/errors.js'
import { startedInJob, withDocumentsOf } from '../../model/planned/planned-steps.js'
import { isStaged } from '../../model/process-state.js'
import { noPayloads } from '../../payloads/payloads.js'
import { fitPlan } from '../../plan/fan-out.js'
import { listSteps } from '../../store/read-steps.js'
import { replacing, type DocumentAddress, type StateWrite, type Stored } from '../../store/state-store.js'
import { fits, maxOperations } from '../../store/transaction.js'
import { UnclearWrites } from '../../store/unclear-writes.js'
import { readableJob } from '../../store/unreadable-jobs.js'
import { stage, type StagedSubmission } from '../../submission/submit.js'
import type { Workflow } from '../../workflow/workflow.js'
import { handedOver } from '../../decisions/operator/restart.js'
import { applyCommand } from '../update-job.js'
import type { MigrateOptions, MigrateReport } from './migrate-options.js'
import type { RestartPorts } from './restart-job.js'

/** The number of tries. A try fails if another write of the job comes first, or its outcome is unknown. */
const maxTries = 6

/**
 * Replaces the plan of a job in one conditional transaction, so that no scheduler sees a part of it (I39). A
 * repeated call finds the new plan, and changes nothing (F-B6).
 *
 * @throws CommandRefused if the job cannot have this plan; nothing was written
 * @throws JobNotFound if the job does not exist
 * @throws StoreUnavailable if the store could not be reached; call again
 */
export async function migrateJob<I>(
  ports: RestartPorts,
  address: DocumentAddress & { readonly jobId: string },
  workflow: Workflow<I>,
  options: MigrateOptions,
): Promise<MigrateReport> {
  const { store, clock, telemetry } = ports
  const { by, dryRun = false, older = false } = options
  const { jobId } = address
  const unclear = new UnclearWrites(`job ${jobId}`)
  let written: MigrateReport | null = null
  for (let tries = 0; tries < maxTries; tries += 1) {
    const job = await readableJob(store, address)
    if (job === null) throw new JobNotFound(jobId)
    const steps = new Map((await listSteps(store, job)).map((step) => [step.stepId, step]))
    // A list may be older than the job.
    if (unseen(job.stepIds, job.steps, steps).length > 0) continue
    const planned = await plannedFor(ports, job, workflow)
    // The audit of all jobs is read without their inputs, so a secret in a reason must not be stored. What the new
    // definition marks is a secret in the present documents.
    const conceal = concealerAmong([job, planned.job], [...steps.values(), ...planned.steps])
    const why = conceal(options.why)
    const migrated = migrate({ job, steps, now: clock.now() }, { planned, by, why, older })
    if (typeof migrated === 'string') throw new CommandRefused(jobId, migrated)
    const report = reportOf(migrated, dryRun)
    if (migrated.changed.length === 0 && !migrated.isJobChanged) return written ?? report
    const writes = writesOf(job, steps, migrated)
    if (dryRun) return report
    const result = await unclear.write(() => applyCommand(store, job, writes))
    written = report
    if (result.kind !== 'applied') continue
    telemetry.emit({ type: 'job.operated', jobId, workflow: job.workflow, command: 'migrate', by, why })
    return report
  }
  const message = `job ${jobId}: the migration was not confirmed in ${maxTries} tries; give the command again`
  throw new StoreUnavailable(message, { cause: null })
}

/** Returns the documents that a submission of the job's input would write with the new definition. */
async function plannedFor<I>(
  { payloads = noPayloads }: RestartPorts,
  job: JobDocument,
  workflow: Workflow<I>,
): Promise<StagedSubmission> {
  const { jobId, pk, input, restartedAs } = job
  if (restartedAs !== undefined)
    throw new CommandRefused(jobId, `job ${jobId} is over: ${handedOver(restartedAs)}`)
  if (isStaged(job)) throw new CommandRefused(jobId, `job ${jobId} is still being submitted`)
  const plain = job.hasTickets === true ? await payloads.load({ partitionKey: pk, jobId }, input) : input
  const { plan, problems } = fitPlan(workflow.plan, plain)
  const wrong = [...(workflow.checkInput?.(plain) ?? []), ...problems]
  if (wrong.length > 0)
    throw new CommandRefused(
      jobId,
      `the new definition refuses the input of job ${jobId}: ${wrong.join('; ')}`,
    )
  const { orderId, priority, replyTo, completeWithinMs, retainForMs, payloadHash, submittedAtMs } = job
  const terms = { orderId, priority, replyTo, completeWithinMs, retainForMs, payloadHash }
  const own: { partition: string; input: Json; now: number } = { partition: pk, input, now: submittedAtMs }
  return stage({ ...terms, ...own, plan, jobId, alongside: [] }, payloadHash)
}

function writesOf(
  job: Stored<JobDocument>,
  steps: ReadonlyMap<string, Stored<StepDocument>>,
  { job: after, changed }: Migrated,
): readonly StateWrite[] {
  const replaced = changed.flatMap((step) => {
    const before = steps.get(step.stepId)
    return before === undefined ? [] : [replacing(before, step)]
  })
  // A step that has begun keeps what it began with, and not what its job has now.
  const begun = startedInJob(job).filter(({ stepId }) => !changed.some((step) => step.stepId === stepId))
  const documented = begun.map((step) => replacing(step, step))
  const writes = [replacing(job, withDocumentsOf(after, [...changed, ...begun])), ...replaced, ...documented]
  if (fits(writes)) return writes
  throw new CommandRefused(
    job.jobId,
    `the plans of ${changed.length} steps change, which do not fit into one transaction of at most ` +
      `${maxOperations} documents: change fewer steps, or restart the job when it has ended`,
  )
}

function reportOf({ job, changed, kept, isJobChanged }: Migrated, isDryRun: boolean): MigrateReport {
  const isNews = isJobChanged || changed.length > 0
  const edit = (isNews ? job.audit.at(-1)?.edit : undefined) ?? { changes: [], others: 0 }
  return { jobId: job.jobId, changed: changed.map(({ stepId }) => stepId), kept, edit, isDryRun }
}
