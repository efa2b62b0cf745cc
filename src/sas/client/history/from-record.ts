import { compare } from '../../../platform/internal.js'
import { decisionsOf } from '../../decisions/operator/triage.js'
import type { JobDocument, StepDocument } from '../../model/documents.js'
import type { HistoryMoment } from './job-history.js'
import { decisionText, jobWords } from './job-words.js'
import { quoted, withVisibleDirections } from './words.js'

/** Says why only the record is shown, and how a store begins to keep versions. */
export const howToKeep =
  'This container does not keep versions of documents, so this history is what the job’s own record tells: its ' +
  'submission, decisions of operators, newest failed attempts, and end. To keep versions from now on, run ' +
  '"stepward provision --keep-versions 7d" on an embedded store, or turn on continuous backup and the change feed of ' +
  'all versions and deletes in the account on Azure.'

interface Entry {
  readonly at: string
  readonly by: string | null
  readonly stepId: string | null
  readonly what: string
}

/** Returns what the present documents of a job tell about its past, oldest first. */
export function recordedMoments(job: JobDocument, steps: readonly StepDocument[]): readonly HistoryMoment[] {
  const idOf = new Map(steps.map(({ stepId, id }) => [stepId, id]))
  const [submitted, ...others] = ofJob(job)
  // Entries of the same time keep this order.
  const entries = [submitted, ...steps.flatMap((step) => ofStep(step, job)), ...others]
  return entries
    .sort((one, other) => compare(one.at, other.at))
    .map(({ at, by, stepId, what }, index) => ({
      moment: null,
      at,
      by,
      changes: [
        {
          document: idOf.get(stepId ?? '') ?? job.id,
          stepId,
          kind: index === 0 ? 'created' : 'changed',
          what: [withVisibleDirections(what)],
        },
      ],
    }))
}

function ofJob(job: JobDocument): [Entry, ...Entry[]] {
  const { submittedAt, endedAt, diagnostics, compensation, attention } = job
  const isRestarted = wasRestartedAfterFailure(job)
  const [submitted = 'submitted'] = jobWords(null, job).what
  return [
    { at: submittedAt, by: null, stepId: null, what: submitted },
    ...decisionsOf(job).map((made) => ({
      at: made.at,
      by: made.by,
      stepId: made.stepId,
      what: decisionText({ ...made, stepId: null }),
    })),
    ...diagnostics.map(({ at, by, message }) => ({ at, by, stepId: null, what: quoted(message) })),
    ...(compensation === null || isRestarted
      ? []
      : [
          {
            at: compensation.since,
            by: compensation.by,
            stepId: null,
            what: `the undo began: ${quoted(compensation.reason)}`,
          },
        ]),
    ...(attention === null
      ? []
      : [
          {
            at: attention.since,
            by: attention.by,
            stepId: null,
            what: `flagged as ${attention.kind}: ${quoted(attention.message)}`,
          },
        ]),
    ...(endedAt === null
      ? []
      : [
          {
            at: endedAt,
            by: null,
            stepId: null,
            what: `ended as ${isRestarted ? 'Error' : job.processState}`,
          },
        ]),
  ]
}

/** A restart makes a failed job Compensated after its end, without an undo of its own. */
function wasRestartedAfterFailure({ restartedAs, compensation, endedAt }: JobDocument): boolean {
  return (
    restartedAs !== undefined && compensation !== null && endedAt !== null && compensation.since > endedAt
  )
}

function ofStep(
  { stepId, direction, diagnostics, outcome, event, question }: StepDocument,
  { compensation }: JobDocument,
): Entry[] {
  const undoneSince = direction === 'undo' ? compensation?.since : undefined
  const nameOf = (attempt: number, at: string): string => {
    const isUndo = undoneSince !== undefined && at >= undoneSince
    return `${isUndo ? 'undo attempt' : 'attempt'} ${attempt}`
  }
  return [
    ...diagnostics.map(({ at, by, attempt, message }) => ({
      at,
      by,
      stepId,
      what: `${nameOf(attempt, at)} failed: ${quoted(message)}`,
    })),
    ...(outcome?.kind === 'success'
      ? [{ at: outcome.at, by: outcome.by, stepId, what: `${nameOf(outcome.attempt, outcome.at)} succeeded` }]
      : []),
    ...(event === null
      ? []
      : [
          {
            at: event.at,
            by: event.by ?? null,
            stepId,
            what: question === undefined ? 'its event was raised' : 'answered',
          },
        ]),
  ]
}
