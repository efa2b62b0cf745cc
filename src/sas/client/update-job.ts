import type { Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { CommandRefused, JobNotFound, StoreUnavailable } from '../model/errors.js'
import { operate } from '../decisions/operator/operate.js'
import type { OperatorCommand } from '../decisions/operator/request.js'
import { replacing, type DocumentAddress, type StateStore, type Stored } from '../store/state-store.js'
import { UnclearWrites } from '../store/unclear-writes.js'
import { readableJob } from '../store/unreadable-jobs.js'

/**
 * The number of tries to change one job. A try fails if another write of the job comes first. Even a busy job
 * is written only a few times a second.
 */
const maxTries = 6

/** The ports through which a command reaches its job. */
export interface CommandPorts {
  readonly store: StateStore
  readonly clock: Clock
  readonly telemetry: Telemetry
}

/**
 * Carries out a command on a job and reports it, or only checks it.
 *
 * @throws JobNotFound if the job does not exist; the other errors are those of {@link updateJob}
 */
export async function carryOut(
  { store, clock, telemetry }: CommandPorts,
  { jobId, isDryRun, ...address }: DocumentAddress & { readonly jobId: string; readonly isDryRun: boolean },
  command: OperatorCommand,
): Promise<void> {
  const perform = isDryRun ? tryCommand : updateJob
  const written = await perform(store, address, command, () => clock.now())
  if (written === null) throw new JobNotFound(jobId)
  if (isDryRun) return
  const { kind, by, why } = command
  telemetry.emit({ type: 'job.operated', jobId, workflow: written.workflow, command: kind, by, why })
}

/**
 * Carries out a command: reads the job, calls {@link operate}, and writes only if every etag is unchanged. If
 * an etag has changed or the outcome of the write is unknown, the job is read again. If the job's audit then
 * contains the command, an earlier write succeeded.
 *
 * @returns the job as it was written, or null if the job does not exist
 * @throws CommandRefused if the state of the job does not allow the command
 * @throws JobUnreadable if the job's document cannot be read
 * @throws StoreUnavailable if the store could not be reached, or other writes of the job came first every
 *   time
 */
export async function updateJob(
  store: StateStore,
  address: DocumentAddress,
  command: OperatorCommand,
  now: () => number,
): Promise<JobDocument | null> {
  let written: JobDocument | null = null
  const unclear = new UnclearWrites(`job document ${address.id}`)
  for (let tries = 0; tries < maxTries;) {
    const job = await readableJob(store, address)
    if (job === null) return null
    if (written !== null && hasDecision(job, written)) return job
    const { operation, steps } = await decided(store, job, command, now())
    const changed = operation.changed.flatMap((step) => replacingStep(steps, step))
    const writes = [replacing(job, operation.job), ...changed]
    const result = await unclear.write(() => store.apply(address.pk, writes))
    if (result.kind === 'applied' && operation.isComplete) return operation.job
    written = result.kind === 'unknownOutcome' && operation.isComplete ? operation.job : null
    // A large change needs several transactions, and each transaction has its own tries.
    tries = result.kind === 'applied' ? 0 : tries + 1
  }
  const message =
    `job document ${address.id}: another writer changed it first in each of ${maxTries} tries; give the ` +
    'command again'
  throw new StoreUnavailable(message, { cause: null })
}

/**
 * Returns the job as the command would change it, and writes nothing. Returns null if the job does not exist.
 *
 * @throws CommandRefused if the state of the job does not allow the command
 */
async function tryCommand(
  store: StateStore,
  address: DocumentAddress,
  command: OperatorCommand,
  now: () => number,
): Promise<JobDocument | null> {
  const job = await readableJob(store, address)
  return job === null ? null : (await decided(store, job, command, now())).operation.job
}

async function decided(store: StateStore, job: JobDocument, command: OperatorCommand, now: number) {
  const listed = await store.listSteps(job.pk, job.jobId)
  const steps = new Map(listed.map((step) => [step.stepId, step]))
  const operation = operate({ job, steps, now }, command)
  if (operation.kind === 'refused') throw new CommandRefused(job.jobId, operation.reason)
  return { operation, steps }
}

function replacingStep(steps: ReadonlyMap<string, Stored<StepDocument>>, after: StepDocument) {
  const before = steps.get(after.stepId)
  return before === undefined ? [] : [replacing(before, after)]
}

function hasDecision(job: JobDocument, written: JobDocument): boolean {
  const ours = written.audit.at(-1)
  return job.audit.some(
    (entry) => entry.command === ours?.command && entry.at === ours.at && entry.by === ours.by,
  )
}
