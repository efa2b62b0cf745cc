import { flag, isObject, optional, readOptions, textThat, wholeNumber } from '../../../platform/options.js'
import type { JobDocument } from '../../model/documents.js'
import { CommandInvalid, JobNotFound } from '../../model/errors.js'
import { hideDocuments } from '../../plan/hide-documents.js'
import { readSteps } from '../../store/read-steps.js'
import type { DocumentAddress, StateStore } from '../../store/state-store.js'
import { readableJob } from '../../store/unreadable-jobs.js'
import { findBegin } from './find-begin.js'
import { howToKeep, recordedMoments } from './from-record.js'
import type { HistoryDocuments, HistoryMoment, HistoryOptions, JobHistory } from './job-history.js'
import { readChanges } from './read-changes.js'
import { hiderOf, type HistoryPorts } from './secrets.js'
import { describe, hiddenVersion, isFromBegin, jobBefore, type OwnChange } from './versions.js'

/** The address of a job, with its id. */
export type JobPlace = DocumentAddress & { readonly jobId: string }

/** A position in the feed of versions, or in the record of the job. */
const positionText = /^(?:record-)?\d{1,15}$/u

const shape = {
  after: optional(textThat('the `next` of a page', (text) => positionText.test(text))),
  limit: optional(wholeNumber(1, 500), 100),
  hidesSecrets: optional(flag(), false),
}

/**
 * Reads a page of the history of a job: from the versions that the store keeps or, if it keeps none, from the job's
 * own record.
 *
 * @throws CommandInvalid if an option is invalid
 * @throws JobNotFound if the job does not exist
 */
export async function readHistory(
  { store, queries }: HistoryPorts,
  place: JobPlace,
  options: HistoryOptions,
): Promise<JobHistory> {
  const { after, limit, hidesSecrets } = checked(options)
  const job = await presentJob(store, place)
  const record = (note: string, skipped: number): Promise<JobHistory> =>
    fromRecord(store, job, { note, skipped, limit, hidesSecrets })
  if (after?.startsWith('record-') === true) return record(howToKeep, Number(after.slice('record-'.length)))
  const begin =
    after === undefined
      ? await findBegin(queries, job)
      : ({ kind: 'found', position: after, isOldest: false, charge: 0 } as const)
  if (begin.kind === 'notKept') return record(howToKeep, 0)
  const { pk: partition, jobId } = place
  const read = await readChanges(queries, { partition, jobId, position: begin.position, limit })
  if (read.kind !== 'read') throw forgotten('after', begin.position)
  if (after === undefined && read.isDrained && read.changes.length === 0) return record(tooOld, 0)
  const changes = await shownChanges({ store, queries }, { job, changes: read.changes, hidesSecrets })
  return {
    source: 'versions',
    note: begin.isOldest && !isFromBegin(read.changes) ? cutNote : null,
    moments: momentsOf(changes),
    next: read.isDrained ? null : read.position,
    charge: begin.charge + read.charge,
  }
}

/**
 * Reads the documents that a transaction of a job wrote, before and after it.
 *
 * @throws CommandInvalid if the job has no such transaction, or if its versions are not kept any more
 * @throws JobNotFound if the job does not exist
 */
export async function readHistoryAt(
  { store, queries }: HistoryPorts,
  place: JobPlace,
  { moment, hidesSecrets }: { readonly moment: string; readonly hidesSecrets: boolean },
): Promise<HistoryDocuments> {
  if (!/^\d{1,15}$/u.test(moment)) throw forgotten('moment', moment)
  const job = await presentJob(store, place)
  const { pk: partition, jobId } = place
  const position = String(Number(moment) - 1)
  const read = await readChanges(queries, { partition, jobId, position, limit: 1 })
  const changes = read.kind === 'read' ? read.changes.filter(({ lsn }) => lsn === Number(moment)) : []
  const [first] = changes
  if (read.kind !== 'read' || first === undefined) throw forgotten('moment', moment)
  const shown = await shownChanges({ store, queries }, { job, changes, hidesSecrets })
  const told = shown.map((change) => describe(change, jobBefore(shown)))
  return {
    moment,
    at: new Date(first.at * 1_000).toISOString(),
    by: told.find(({ by }) => by !== null)?.by ?? null,
    documents: told.map(({ document }) => document).sort(jobFirst),
    charge: read.charge,
  }
}

const cutNote =
  'The store no longer keeps the first versions of this job, or began to keep versions after its submission, so ' +
  'this history begins later.'

const tooOld =
  'The versions of this job are older than what the store keeps, so this history is what the job’s own record ' +
  'tells: its submission, decisions of operators, newest failed attempts, and end.'

function checked(options: HistoryOptions) {
  const { values, problems } = readOptions(shape, isObject(options) ? options : {})
  if (problems.length > 0) throw new CommandInvalid(`history: ${problems.join('; ')}`)
  return values
}

/** @throws JobNotFound if the job does not exist */
export async function presentJob(store: StateStore, place: JobPlace): Promise<JobDocument> {
  const job = await readableJob(store, place)
  if (job === null) throw new JobNotFound(place.jobId)
  return job
}

function forgotten(name: string, position: string): Error {
  return new CommandInvalid(
    `history: ${name} ${JSON.stringify(position)} names no transaction of this job that the store still keeps; read ` +
      'the history again from its beginning',
  )
}

interface Shown {
  readonly job: JobDocument
  readonly changes: readonly OwnChange[]
  readonly hidesSecrets: boolean
}

/** Returns the changes as they may be shown. */
async function shownChanges(
  ports: HistoryPorts,
  { job, changes, hidesSecrets }: Shown,
): Promise<readonly OwnChange[]> {
  if (!hidesSecrets) return changes
  const versions = changes.flatMap(({ before, after }) => [before, after])
  const hider = await hiderOf(ports, job, versions)
  return changes.map((change) => ({
    ...change,
    before: hiddenVersion(change.before, hider),
    after: hiddenVersion(change.after, hider),
  }))
}

/** Returns the transactions of these changes. */
function momentsOf(changes: readonly OwnChange[]): readonly HistoryMoment[] {
  const byLsn = new Map<number, OwnChange[]>()
  for (const change of changes) byLsn.set(change.lsn, [...(byLsn.get(change.lsn) ?? []), change])
  return [...byLsn].map(([lsn, together]) => {
    const job = jobBefore(together)
    const told = together.map((change) => describe(change, job))
    return {
      moment: String(lsn),
      at: new Date((together[0]?.at ?? 0) * 1_000).toISOString(),
      by: told.find(({ by }) => by !== null)?.by ?? null,
      changes: told
        .map(({ document: { before: _before, after: _after, ...change } }) => change)
        .sort(jobFirst),
    }
  })
}

/** Puts the document of the job before those of its steps. */
function jobFirst(
  one: { readonly stepId: string | null },
  other: { readonly stepId: string | null },
): number {
  return Number(one.stepId !== null) - Number(other.stepId !== null)
}

interface FromRecord extends Pick<Shown, 'hidesSecrets'> {
  readonly note: string
  readonly skipped: number
  readonly limit: number
}

async function fromRecord(
  store: StateStore,
  job: JobDocument,
  { note, skipped, limit, hidesSecrets }: FromRecord,
): Promise<JobHistory> {
  const steps = await readSteps(store, job)
  const seen = hidesSecrets ? hideDocuments(job, steps) : { job, steps }
  const all = recordedMoments(seen.job, seen.steps)
  const end = skipped + limit
  const next = end < all.length ? `record-${end}` : null
  return { source: 'record', note, moments: all.slice(skipped, end), next, charge: 0 }
}
