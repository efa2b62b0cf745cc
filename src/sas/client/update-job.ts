import type { Clock } from '../../platform/index.js'
import type { Telemetry, TelemetryEvent } from '../../telemetry/index.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { withDocumentsOf } from '../model/planned/planned-steps.js'
import { CommandRefused, JobNotFound, StepNotFound, StoreUnavailable } from '../model/errors.js'
import { concealerAmong } from '../plan/hide-documents.js'
import { operate } from '../decisions/operator/operate.js'
import type { Operation, OperatorCommand } from '../decisions/operator/request.js'
import type { JobQueries } from '../store/job-queries.js'
import { applyOverLeftOver, PlaceTaken } from '../store/left-over.js'
import { listSteps } from '../store/read-steps.js'
import {
  replacing,
  type ApplyResult,
  type DocumentAddress,
  type StateStore,
  type StateWrite,
  type Stored,
} from '../store/state-store.js'
import { UnclearWrites } from '../store/unclear-writes.js'
import { readableJob } from '../store/unreadable-jobs.js'
import { addressOf } from './call-arguments.js'

/**
 * The number of tries to change one job. A try fails if another write of the job comes first. Even a busy job
 * is written only a few times a second.
 */
const maxTries = 6

/** The number of steps that an error lists. */
const maxShown = 50

/** The ports through which a command reaches its job. */
export interface CommandPorts {
  readonly store: StateStore
  readonly clock: Clock
  readonly telemetry: Telemetry
}

/** The ports with which a job is found, and where it is looked for. */
export type FindPorts = Pick<CommandPorts, 'store'> & { readonly queries: JobQueries }
type Where = { readonly partitionKey?: string | undefined }

/** Returns the document of a job, or null. Without a partition key, tries the job's id, and then a query. */
export async function findJob({ store, queries }: FindPorts, jobId: string, where: Where) {
  const found = await store.read(addressOf(where.partitionKey ?? jobId, jobId))
  if (found !== null || where.partitionKey !== undefined) return found
  return queries.findJob(jobId)
}

/** @throws JobNotFound if the job does not exist */
export async function existingJob(ports: FindPorts, jobId: string, where: Where) {
  const job = await findJob(ports, jobId, where)
  if (job === null) throw new JobNotFound(jobId)
  return job
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
  if (!isDryRun) telemetry.emit(operated(written, command))
}

/**
 * Carries out a command: reads the job, calls {@link operate}, and writes only if every etag is unchanged. If
 * an etag has changed or the outcome of the write is unknown, the job is read again. If the job's audit then
 * contains the command, an earlier write succeeded.
 *
 * @returns the job as it was written, or null if the job does not exist
 * @throws StepNotFound if the command names a step that the job does not have
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
    if (written !== null && hasDecision(job, written, command)) return job
    const { operation, steps } = await decided(store, job, command, now())
    const changed = operation.changed.flatMap((step) => replacingStep(steps, step))
    const next = withDocumentsOf(operation.job, operation.changed)
    const writes = [replacing(job, next), ...changed]
    const result = await unclear.write(() => applyCommand(store, job, writes))
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
 * Writes the documents of a command.
 *
 * @throws CommandRefused if a document of an earlier job with this id must be removed first; nothing was written
 */
export async function applyCommand(
  store: StateStore,
  { pk, jobId }: JobDocument,
  writes: readonly StateWrite[],
): Promise<ApplyResult> {
  try {
    return await applyOverLeftOver(store, pk, writes)
  } catch (error) {
    throw error instanceof PlaceTaken ? new CommandRefused(jobId, error.message) : error
  }
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
  for (const stepId of stepsNamedBy(command)) refuseUnknownStep(job, stepId)
  const listed = await listSteps(store, job)
  const steps = new Map(listed.map((step) => [step.stepId, step]))
  const standing = { job, steps, now }
  const given = accepted(job, operate(standing, command))
  // The audit of all jobs is read without their inputs, so a secret in a reason must not be stored. The command may
  // bring the secret.
  const conceal = concealerAmong([job, given.job], [...listed, ...given.changed])
  const told = concealed(command, conceal)
  return { operation: told === command ? given : accepted(job, operate(standing, told)), steps }
}

/** @throws CommandRefused if the state of the job does not allow the command */
function accepted({ jobId }: JobDocument, operation: Operation): Operation & { readonly kind: 'write' } {
  if (operation.kind === 'refused') throw new CommandRefused(jobId, operation.reason)
  return operation
}

/** Returns the command itself if its texts contain no secret. */
function concealed(command: OperatorCommand, conceal: (text: string) => string): OperatorCommand {
  const why = conceal(command.why)
  const note = command.kind === 'triage' && typeof command.note === 'string' ? conceal(command.note) : null
  if (why === command.why && (command.kind !== 'triage' || note === null || note === command.note))
    return command
  if (command.kind !== 'triage' || note === null) return { ...command, why }
  return { ...command, why, note }
}

/** Returns the event of a command that was carried out. The job has the reason without secrets. */
export function operated(
  { jobId, workflow, audit, triageAudit = [] }: JobDocument,
  { kind, by, why }: Pick<OperatorCommand, 'kind' | 'by' | 'why'>,
): TelemetryEvent {
  const kept = kind === 'triage' ? triageAudit : audit.filter(({ command }) => command === kind)
  const stored = kept.filter((entry) => entry.by === by).at(-1)?.why ?? why
  return { type: 'job.operated', jobId, workflow, command: kind, by, why: stored }
}

/** @throws StepNotFound if the job does not have the step */
export function refuseUnknownStep({ jobId, stepIds }: JobDocument, stepId: string): void {
  if (stepIds.includes(stepId)) return
  const [shown, left] = [stepIds.slice(0, maxShown), stepIds.length - maxShown]
  const more = left > 0 ? ` and ${left} more` : ''
  throw new StepNotFound(jobId, stepId, `its steps are ${shown.join(', ')}${more}`)
}

function stepsNamedBy(command: OperatorCommand): readonly string[] {
  if (command.kind === 'resubmit') return (command.steps ?? []).map(({ stepId }) => stepId)
  return command.kind === 'release' && command.stepId !== undefined ? [command.stepId] : []
}

function replacingStep(steps: ReadonlyMap<string, Stored<StepDocument>>, after: StepDocument) {
  const before = steps.get(after.stepId)
  return before === undefined ? [] : [replacing(before, after)]
}

/** Checks whether a job has the decision that was the last to be added to `written`. */
function hasDecision(job: JobDocument, written: JobDocument, { kind }: OperatorCommand): boolean {
  // The newest entry by time may be another decision, because the clocks of operators differ.
  const keptIn = ({ audit, triageAudit = [] }: JobDocument) => (kind === 'triage' ? triageAudit : audit)
  const ours = keptIn(written).at(-1)
  return keptIn(job).some(({ at, by, why }) => at === ours?.at && by === ours.by && why === ours.why)
}
