import { decodeDocument } from '../../model/decode.js'
import type { JobDocument, StepDocument } from '../../model/documents.js'
import { startedInJob } from '../../model/planned/planned-steps.js'
import type { VersionHider } from '../../plan/hide-documents.js'
import type { DocumentVersionChange } from '../../store/job-queries.js'
import type { StateDocument } from '../../store/state-store.js'
import type { HistoryDocument } from './job-history.js'
import { jobWords } from './job-words.js'
import { documentWords, stepWords } from './step-words.js'
import { withVisibleDirections, type Told } from './words.js'

/** A version of a document of a job. A version that cannot be read says only whose it is. */
export type Version =
  | { readonly kind: 'job'; readonly job: JobDocument }
  | { readonly kind: 'step'; readonly step: StepDocument }
  | { readonly kind: 'unreadable'; readonly stepId: string | null }

/** A change of a document of one job, with both versions. */
export interface OwnChange {
  readonly id: string
  readonly operation: DocumentVersionChange['operation']
  readonly lsn: number
  readonly at: number
  readonly previousLsn: number | null
  readonly before: Version | null
  readonly after: Version | null
}

/** Returns the change with its versions, or an empty list if the document does not belong to the job. */
export function ownChange(change: DocumentVersionChange, jobId: string): readonly OwnChange[] {
  const [before, after] = [versionOf(change.previous, jobId), versionOf(change.current, jobId)]
  const id = change.current?.id ?? change.previous?.id
  if (id === undefined || (before === null && after === null)) return []
  const { operation, lsn, at, previousLsn } = change
  return [{ id, operation, lsn, at, previousLsn, before, after }]
}

/** Returns a version of a document of the job, or null if the document is another one. */
function versionOf(document: StateDocument | null, jobId: string): Version | null {
  if (document?.['jobId'] !== jobId) return null
  const { type, stepId } = document
  if (type !== 'sas.job' && type !== 'sas.step') return null
  const decoded = decodeDocument(withoutStoreFields(document))
  if (decoded.kind === 'job' || decoded.kind === 'step') return decoded
  return { kind: 'unreadable', stepId: typeof stepId === 'string' ? stepId : null }
}

function withoutStoreFields(document: StateDocument): StateDocument {
  const { _rid, _self, _attachments, _lsn, ...rest } = document
  return rest
}

/** Returns the version with its secrets hidden. */
export function hiddenVersion(version: Version | null, hider: VersionHider): Version | null {
  if (version?.kind === 'job') return { kind: 'job', job: hider.job(version.job) as JobDocument }
  return version?.kind === 'step' ? { kind: 'step', step: hider.step(version.step) } : version
}

/**
 * Says what a change was and who made it, with both documents.
 *
 * @param job the version of the job that the transaction of the change has replaced, or null
 */
export function describe(
  change: OwnChange,
  job: JobDocument | null,
): {
  readonly document: HistoryDocument
  readonly by: string | null
} {
  const { id: document, before, after, operation } = change
  const version = after ?? before
  const { what, by } = wordsOf(change, job)
  return {
    by,
    document: {
      document,
      stepId:
        version?.kind === 'step'
          ? version.step.stepId
          : version?.kind === 'unreadable'
            ? version.stepId
            : null,
      kind: ({ create: 'created', replace: 'changed', delete: 'deleted' } as const)[operation],
      what: what.map(withVisibleDirections),
      before: contentOf(before),
      after: contentOf(after),
    },
  }
}

function contentOf(version: Version | null): object | null {
  if (version === null || version.kind === 'unreadable') return null
  return version.kind === 'job' ? version.job : version.step
}

function wordsOf({ operation, before, after }: OwnChange, job: JobDocument | null): Told {
  if (operation === 'delete') return { what: ['removed from the store'], by: null }
  if (after === null || after.kind === 'unreadable')
    return { what: ['written in a form that this version of stepward cannot read'], by: null }
  if (operation === 'replace' && before?.kind !== after.kind)
    return { what: [`changed (the version before is not kept): state ${stateOf(after)}`], by: null }
  if (after.kind === 'job') return jobWords(before?.kind === 'job' ? before.job : null, after.job)
  if (before?.kind === 'step') return stepWords(before.step, after.step)
  const inJob = job === null ? [] : startedInJob(job)
  const started = inJob.find(({ stepId }) => stepId === after.step.stepId)
  return started === undefined ? stepWords(null, after.step) : documentWords(started, after.step)
}

/** Returns the version of the job that these changes of one transaction have replaced. */
export function jobBefore(changes: readonly OwnChange[]): JobDocument | null {
  for (const { before } of changes) if (before?.kind === 'job') return before.job
  return null
}

function stateOf(version: Exclude<Version, { readonly kind: 'unreadable' }>): string {
  return version.kind === 'job' ? version.job.processState : version.step.processState
}

/** Checks whether the first of these changes is the submission of the job. */
export function isFromBegin([first]: readonly OwnChange[]): boolean {
  return first?.operation === 'create'
}
