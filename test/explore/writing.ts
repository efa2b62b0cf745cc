import { isOpen } from '../../src/sas/decisions/settle.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { canonicalJob, canonicalOld, canonicalStep, mostDispatches, now, tickMs } from './canonical.js'
import type { Decisions } from './decisions.js'
import type { DocumentTable } from './documents-table.js'
import { checkWrite, problemOf, type Documents, type Writer } from './invariants.js'
import { keyOf, type Key } from './remote.js'

/** The change of one step in a write. */
export interface StepWrite {
  /** The place of the step in the job's order. */
  readonly place: number
  /** The numbers of its canonical documents. */
  readonly from: number
  readonly to: number
  /** The number of the replaced version, which a cache may keep. */
  readonly old: number
  /** The key that handlers of the previous attempt use. */
  readonly key: Key
  /** Whether this write ends that attempt. */
  readonly isFenced: boolean
  /** The ticks until the deadline of that attempt. */
  readonly ticksLeft: number
  /** The generation whose key may be called from now on, or 0 for none. */
  readonly opens: number
  /** Whether a process receives the attempt first and starts it without a write. */
  readonly isOffer: boolean
  /** The generation whose undo starts, or 0 for none. */
  readonly undoes: number
}

/** The writes of a decision, in one transaction. */
export interface Writing {
  readonly by: Writer
  /** The numbers of the job's canonical documents. */
  readonly jobFrom: number
  readonly jobTo: number
  readonly steps: readonly StepWrite[]
  /** Whether a scheduler examines the job when the feed delivers this write. */
  readonly calls: boolean
  /** The documents as they were written. */
  readonly written: Written
  /** The invariant that this write breaks. */
  readonly problem: string | null
}

/** The documents of a decision. */
export interface Written {
  readonly job?: JobDocument
  readonly changed?: readonly StepDocument[]
}

export interface Tables {
  readonly stepIds: readonly string[]
  readonly jobs: DocumentTable<JobDocument>
  readonly steps: DocumentTable<StepDocument>
  readonly decisions: Decisions
}

/** The numbers of the documents that a decision read. */
export interface Looked {
  readonly job: number
  /** The number for each place, or -1 for a step that the decision did not have. */
  readonly steps: readonly number[]
}

/** Returns the documents that a decision read. */
export function documentsOf({ jobs, steps, stepIds }: Tables, looked: Looked): Documents {
  const known = stepIds.flatMap((stepId, place) => {
    const number = looked.steps[place] ?? -1
    return number < 0 ? [] : [[stepId, steps.at(number)] as const]
  })
  return { job: jobs.at(looked.job), steps: new Map(known) }
}

/** Returns the write that replaces the documents of a decision by these. */
export function writingOf(tables: Tables, by: Writer, looked: Looked, written: Written): Writing {
  const { jobs, stepIds, decisions } = tables
  const from = documentsOf(tables, looked)
  const to = replacing(from, written)
  const { job } = to
  const { changed = [] } = written
  const isJobNews = written.job !== undefined && decisions.schedulerMustRead(job)
  const steps = changed.flatMap((after) => {
    const place = stepIds.indexOf(after.stepId)
    const before = looked.steps[place] ?? -1
    return before < 0 ? [] : [stepWriteOf(tables, place, before, after)]
  })
  return {
    by,
    jobFrom: looked.job,
    jobTo: written.job === undefined ? looked.job : jobs.numberOf(canonicalJob(job)),
    steps,
    calls: isJobNews || changed.some((step) => decisions.schedulerMustRead(step)),
    written,
    problem: problemOf(() => checkWrite({ by, from, to })),
  }
}

/** Returns the documents after a write. */
export function replacing({ job, steps }: Documents, written: Written): Documents {
  const changed = (written.changed ?? []).map((step) => [step.stepId, step] as const)
  return { job: written.job ?? job, steps: new Map([...steps, ...changed]) }
}

function stepWriteOf({ steps }: Tables, place: number, from: number, after: StepDocument): StepWrite {
  const before = steps.at(from)
  const canonical = canonicalStep(after)
  const movedDown = Math.max(0, after.dispatch - mostDispatches)
  const old = canonicalOld(before, Math.max(0, before.dispatch - movedDown))
  const isAttempt = isOpen(after, Number.NEGATIVE_INFINITY) && after.kind === 'operation'
  const isOpening = isAttempt && after.direction === 'do'
  const isClaimed = !after.isClaimRequired || after.claim?.fence === after.fence
  const wasOpened =
    before.fence === after.fence && (!before.isClaimRequired || before.claim?.fence === before.fence)
  const isNewUndo = after.direction === 'undo' && after.idempotencyKey !== before.idempotencyKey
  return {
    place,
    from,
    to: steps.numberOf(canonical),
    old: steps.numberOf(old),
    key: keyOf(before),
    isFenced: after.fence !== before.fence,
    ticksLeft: isOpen(before, now) ? Math.ceil((before.completeByMs - now) / tickMs) : 0,
    opens: isOpening && isClaimed && !wasOpened ? keyOf(after).generation : 0,
    isOffer: isAttempt && after.fence !== before.fence && !after.isClaimRequired,
    undoes: isNewUndo ? keyOf(after).generation : 0,
  }
}
