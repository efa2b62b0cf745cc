import { CommandInvalid } from '../../model/errors.js'
import { stepDocumentId } from '../../model/document-ids.js'
import { startedInJob, hasDocument } from '../../model/planned/planned-steps.js'
import type { JobDocument, StepDocument } from '../../model/documents.js'
import { hideDocuments } from '../../plan/hide-documents.js'
import { readSteps } from '../../store/read-steps.js'
import { attemptsIn, recordedAttempts, type StepVersion } from './attempts.js'
import { findBegin } from './find-begin.js'
import type { StepAttempts } from './job-history.js'
import { readChanges } from './read-changes.js'
import { presentJob, type JobPlace } from './read-history.js'
import { hiderOf, type HistoryPorts } from './secrets.js'
import { isFromBegin } from './versions.js'

/** The most changes of a job among which the attempts of a step are looked for, and the changes of one read. */
const [mostChanges, changesOfRead] = [5_000, 250]

const fromRecord =
  'The store keeps no versions of this time, so the inputs and outputs of earlier attempts are not known, and only the ' +
  'newest failures are listed.'

/**
 * Reads the attempts of a step, from the versions that the store keeps or, if it keeps none, from the step's own record.
 *
 * @throws CommandInvalid if the job has no such step
 * @throws JobNotFound if the job does not exist
 */
export async function readAttempts(
  ports: HistoryPorts,
  place: JobPlace,
  { step: stepId, hidesSecrets }: { readonly step: string; readonly hidesSecrets: boolean },
): Promise<StepAttempts> {
  const job = await presentJob(ports.store, place)
  if (!job.stepIds.includes(stepId))
    throw new CommandInvalid(
      `attempts: job ${JSON.stringify(place.jobId)} has no step ${JSON.stringify(stepId)}; job.view() lists its steps`,
    )
  const hasBegun = hasDocument(job, stepId) || startedInJob(job).some((step) => step.stepId === stepId)
  if (!hasBegun) return { source: 'versions', note: null, attempts: [], charge: 0 }
  const { versions, note, charge } = await versionsOf(ports, job, stepDocumentId(place.jobId, stepId))
  if (versions.length === 0) return { ...(await recorded(ports, job, { stepId, hidesSecrets })), charge }
  const hider = hidesSecrets
    ? await hiderOf(
        ports,
        job,
        versions.map(({ step }) => ({ kind: 'step', step })),
      )
    : null
  const shown = versions.map(({ at, step }) => ({ at, step: hider?.step(step) ?? step }))
  return { source: 'versions', note, attempts: attemptsIn(shown), charge }
}

interface Found {
  readonly versions: readonly StepVersion[]
  readonly note: string | null
  readonly charge: number
}

async function versionsOf({ queries }: HistoryPorts, job: JobDocument, id: string): Promise<Found> {
  const begin = await findBegin(queries, job)
  if (begin.kind === 'notKept') return { versions: [], note: null, charge: begin.charge }
  const versions: StepVersion[] = []
  let [position, charge, seen, isCut] = [begin.position, begin.charge, 0, false]
  for (let isDrained = false; !isDrained && seen < mostChanges;) {
    const read = await readChanges(queries, {
      partition: job.pk,
      jobId: job.jobId,
      position,
      limit: changesOfRead,
    })
    if (read.kind !== 'read') break
    if (seen === 0) isCut = begin.isOldest && !isFromBegin(read.changes)
    versions.push(
      ...read.changes.flatMap(({ at, after }) => {
        // The first attempt of a step, and its success, may be only in the job.
        const steps =
          after?.kind === 'job' ? startedInJob(after.job) : after?.kind === 'step' ? [after.step] : []
        return steps.filter((step) => step.id === id).map((step) => versionAt(at, step))
      }),
    )
    seen += read.changes.length
    ;({ position, isDrained } = read)
    charge += read.charge
  }
  const cut = seen >= mostChanges ? `Only the first ${mostChanges} changes of the job were read.` : null
  return {
    versions,
    note: isCut ? 'The store no longer keeps the first versions of this job.' : cut,
    charge,
  }
}

function versionAt(at: number, step: StepDocument): StepVersion {
  return { at: new Date(at * 1_000).toISOString(), step }
}

async function recorded(
  { store }: HistoryPorts,
  job: JobDocument,
  { stepId, hidesSecrets }: { readonly stepId: string; readonly hidesSecrets: boolean },
): Promise<Omit<StepAttempts, 'charge'>> {
  const read = await readSteps(store, job)
  const steps = hidesSecrets ? hideDocuments(job, read).steps : read
  const step = steps.find((one) => one.stepId === stepId)
  return { source: 'record', note: fromRecord, attempts: step === undefined ? [] : recordedAttempts(step) }
}
