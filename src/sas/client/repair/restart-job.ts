import type { Clock } from '../../../platform/index.js'
import { withoutUndefined } from '../../../platform/internal.js'
import type { Telemetry } from '../../../telemetry/index.js'
import { unseen } from '../../decisions/ledger.js'
import type { Standing } from '../../decisions/operator/request.js'
import { handedOver, planRestart, type Restart, type RestartPlan } from '../../decisions/operator/restart.js'
import { restarted, type Restarted } from '../../decisions/operator/restarted-job.js'
import type { JobDocument, Json } from '../../model/documents.js'
import { jobDocumentId } from '../../model/document-ids.js'
import { CommandInvalid, CommandRefused, JobNotFound, StoreUnavailable } from '../../model/errors.js'
import { ticketsIn } from '../../model/values/ticket.js'
import { toTemplate } from '../../model/values/to-template.js'
import type { PayloadOwner } from '../../payloads/payload-store.js'
import { noPayloads, type Payloads } from '../../payloads/payloads.js'
import { payloadHash } from '../../plan/payload.js'
import { concealerAmong } from '../../plan/hide-documents.js'
import type { JobQueries } from '../../store/job-queries.js'
import { listSteps } from '../../store/read-steps.js'
import type { DocumentAddress, StateStore, Stored } from '../../store/state-store.js'
import { UnclearWrites } from '../../store/unclear-writes.js'
import { readableJob } from '../../store/unreadable-jobs.js'
import { idProblems } from '../../submission/submit-problems.js'
import type { InputCheck } from '../../workflow/input-schema.js'
import { isWorkflow } from '../../workflow/workflow.js'
import { asJson, refuseProblems } from '../call-arguments.js'
import type { RestartOptions, RestartReport } from './restart-options.js'
import { refuseUnknownStep } from '../update-job.js'
import { writeRestart } from './write-restart.js'

/** The number of tries. A try fails if another write of the job comes first, or its outcome is unknown. */
const maxTries = 6

export interface RestartPorts {
  readonly store: StateStore
  readonly queries: Pick<JobQueries, 'findJob'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly payloads?: Payloads
}

/**
 * Restarts a job as another job. A repeated call finds the link of the first one, and creates no second job
 * (F-B1, F-B2).
 *
 * @throws CommandInvalid if the options do not suit the job; nothing was written
 * @throws CommandRefused if the state of the job does not allow the restart; nothing was written
 * @throws StepNotFound if the job has no step `from`; nothing was written
 * @throws JobNotFound if the job does not exist
 * @throws StoreUnavailable if the store could not be reached; call again with the same options
 */
export async function restartJob(
  ports: RestartPorts,
  address: DocumentAddress & { readonly jobId: string },
  options: RestartOptions,
): Promise<RestartReport> {
  const { store, clock } = ports
  const { jobId } = address
  const terms = termsOf(jobId, options)
  const unclear = new UnclearWrites(`job ${jobId}`)
  for (let tries = 0; tries < maxTries; tries += 1) {
    const job = await readableJob(store, address)
    if (job === null) throw new JobNotFound(jobId)
    const listed = await listSteps(store, job)
    const steps = new Map(listed.map((step) => [step.stepId, step]))
    // A list may be older than the job.
    if (unseen(job.stepIds, job.steps, steps).length > 0) continue
    const given = tryOf(ports, { job, steps, now: clock.now() }, terms)
    const earlier = await earlierReport(given)
    if (earlier !== null) return earlier
    const report = await plannedReport(given)
    if (given.isDryRun) return report
    const documents = await documentsOf(given, report)
    const result = await unclear.write(() => writeRestart(store, job, documents))
    if (result.kind !== 'applied') continue
    emitRestart(given)
    return report
  }
  const message = `job ${jobId}: the restart was not confirmed in ${maxTries} tries; give the command again`
  throw new StoreUnavailable(message, { cause: null })
}

/** The options with their inputs as they are stored. */
interface Terms extends Omit<RestartOptions, 'input' | 'stepInput'> {
  readonly input: Json | undefined
  readonly stepInput: Json | undefined
}

function termsOf(jobId: string, { input, stepInput, ...others }: RestartOptions): Terms {
  const json = (value: unknown, name: string) =>
    value === undefined ? undefined : asJson(jobId, value, { name, error: CommandInvalid })
  return { ...others, input: json(input, 'input'), stepInput: json(stepInput, 'stepInput') }
}

/** One try of a restart, which goes by one version of the job. */
interface Try {
  /** Returns what is wrong with the new input. */
  readonly check: InputCheck
  readonly ports: RestartPorts
  readonly standing: Standing & { readonly job: Stored<JobDocument> }
  readonly request: Restart
  readonly isDryRun: boolean
  /** Shows whether a later command repeats this one. */
  readonly hash: string
}

function tryOf(ports: RestartPorts, standing: Try['standing'], { input, stepInput, ...options }: Terms): Try {
  const { job } = standing
  const { from, by, why, after, workflows = [], dryRun = false } = options
  const own = workflows.find(({ name }) => name === job.workflow)
  const as = options.as ?? job.restartedAs?.jobId ?? nextId(job)
  refuseProblems('restart', idProblems('as', as))
  const hash = payloadHash(`restart of ${job.jobId}`, [from, input ?? null, stepInput ?? null, after ?? null])
  // The audit of all jobs is read without their inputs, so a secret in a reason must not be stored.
  const conceal = concealerOf(standing, { from, input, stepInput })
  if (options.as !== undefined && conceal(as) !== as)
    refuseProblems('restart', ['as contains a secret, and everybody sees it: choose another'])
  const request = { as, from, by, why: conceal(why), ...withoutUndefined({ input, stepInput, after }) }
  return { ports, standing, request, isDryRun: dryRun, hash, check: checkOf(own) }
}

/** Hides the secrets of the job, and those that a restart with these inputs brings. */
function concealerOf(
  { job, steps }: Try['standing'],
  { from, input, stepInput }: Pick<Terms, 'from' | 'input' | 'stepInput'>,
): (text: string) => string {
  const step = stepInput === undefined ? undefined : steps.get(from)
  const edited = step && { ...step, inputTemplate: toTemplate(stepInput, 'stepInput') }
  return concealerAmong(
    input === undefined ? [job] : [job, { ...job, input }],
    edited === undefined ? [...steps.values()] : [...steps.values(), edited],
  )
}

/** Returns the check of inputs of a workflow. Accepts every input if the workflow is not known or has no schema. */
function checkOf(workflow: unknown): InputCheck {
  return (isWorkflow(workflow) ? workflow.checkInput : undefined) ?? (() => [])
}

/** Returns the report if an earlier call made this restart, or null if the job was not restarted. */
async function earlierReport(given: Try): Promise<RestartReport | null> {
  const { standing, request, ports, hash } = given
  const { restartedAs: link, ...job } = standing.job
  if (link === undefined) return null
  const there = await readableJob(ports.store, newAddress(given))
  const isSame = link.jobId === request.as && link.from === request.from
  const plan = planRestart({ ...standing, job }, request)
  if (!isSame || (there !== null && there.payloadHash !== hash) || 'reason' in plan) {
    throw new CommandRefused(job.jobId, `job ${job.jobId} is over: ${handedOver(link)}`)
  }
  return { ...reportOf(given, plan), isNew: false }
}

/** Returns what the restart does with each step. Throws if the job cannot be restarted so. */
async function plannedReport(given: Try): Promise<RestartReport> {
  const { standing, request, ports } = given
  const { jobId, workflow } = standing.job
  refuseUnknownStep(standing.job, request.from)
  const wrong = request.input === undefined ? [] : given.check(request.input)
  if (wrong.length > 0) {
    throw new CommandInvalid(`the new input does not fit workflow ${workflow}: ${wrong.join('; ')}`)
  }
  const plan = planRestart(standing, request)
  if ('reason' in plan)
    throw plan.isAboutOptions ? new CommandInvalid(plan.reason) : new CommandRefused(jobId, plan.reason)
  const there = await readableJob(ports.store, newAddress(given))
  if (there?.restartOf?.jobId === jobId) return reportOf(given, plan)
  // A job with this id in another partition would give its attempts the same keys.
  if (there === null && (await ports.queries.findJob(request.as)) === null) return reportOf(given, plan)
  throw new CommandRefused(jobId, `a job ${request.as} exists already: choose another id for the new job`)
}

/** Returns the documents of the restart, after all their payloads are stored for the new job (I31). */
async function documentsOf({ ports, standing, request, hash }: Try, plan: RestartPlan): Promise<Restarted> {
  const { payloads = noPayloads } = ports
  const { job, steps } = standing
  const [from, to] = [job.jobId, request.as].map((jobId) => ({ partitionKey: job.pk, jobId })) as [
    PayloadOwner,
    PayloadOwner,
  ]
  const { input } = request
  const stored = input !== undefined && payloads.isLarge(input) ? await payloads.put(to, input) : input
  const documents = restarted(standing, {
    request: { ...request, ...withoutUndefined({ input: stored }) },
    plan,
    payloadHash: hash,
  })
  const own = new Set(ticketsIn([job, ...steps.values()]).map(({ id }) => id))
  const needed = new Set(ticketsIn([documents.job, ...documents.steps]).map(({ id }) => id))
  for (const id of needed) if (own.has(id)) await payloads.copy(from, to, id)
  return documents
}

function emitRestart({ ports, standing, request }: Try): void {
  const { jobId, workflow } = standing.job
  const { as, by, why } = request
  ports.telemetry.emit({ type: 'job.operated', jobId, workflow, command: 'restart', by, why })
  ports.telemetry.emit({ type: 'job.submitted', jobId: as, workflow, isNew: true })
}

function newAddress({ standing, request }: Try): DocumentAddress {
  return { pk: standing.job.pk, id: jobDocumentId(request.as) }
}

function reportOf({ standing, request, isDryRun }: Try, plan: RestartPlan): RestartReport {
  const { carried, again, undone, kept, repeated } = plan
  const { pk, jobId } = standing.job
  const { as, from } = request
  return {
    jobId: as,
    partitionKey: pk,
    restartOf: jobId,
    from,
    carried,
    again,
    undone,
    kept,
    repeated,
    isNew: true,
    isDryRun,
  }
}

/** Returns the default id of the new job. The restart of a restart gets the next number. */
function nextId({ jobId, restartOf }: JobDocument): string {
  const [, first, number] = (restartOf && /^(.*)\.r(\d+)$/.exec(jobId)) ?? []
  return first === undefined ? `${jobId}.r1` : `${first}.r${Number(number) + 1}`
}
