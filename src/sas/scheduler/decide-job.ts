import type { Clock } from '../../platform/index.js'
import type { SeenVersions } from './memory/changed-jobs.js'
import type { Schedule, SchedulingState } from '../decisions/continue-or-end-job.js'
import { isUnderWay, unseen } from '../decisions/ledger.js'
import { schedule } from '../decisions/schedule.js'
import type { PauseBoard, PauseReading } from '../pauses/pause-board.js'
import type { Visits } from '../gates/visits.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { begunInJob } from '../model/planned/planned-steps.js'
import { isOver } from '../model/is-over.js'
import { tellsNews, withSafeMessages } from '../plan/safe-messages.js'
import type { Stored } from '../store/state-store.js'
import type { Settled } from './job-writer.js'
import type { AttemptsInJobs } from './memory/attempts-in-jobs.js'
import type { ReservedTimes } from './reserved-times.js'
import type { KnownJobs, UnreadableStep } from './memory/known-jobs.js'

/** What a decision about a job goes by. */
export interface Deciding {
  readonly seen: SeenVersions
  readonly visits: Visits
  /** The pauses, which the decision reads again before it pauses a job. */
  readonly pauses: PauseReading
  readonly settled?: Settled
  /** The ids of waiting steps that may enter their limit now. */
  readonly called?: ReadonlySet<string>
  readonly leaseToken: string | null
}

export interface DecidingBy {
  readonly known: KnownJobs
  readonly board: PauseBoard
  readonly clock: Clock
  readonly instanceName: string
  readonly reserved: ReservedTimes
  readonly inJobs: AttemptsInJobs
}

/** A decision that needs no more reads and no more answers. */
export type Decided = Exclude<Schedule, { readonly kind: 'read' | 'visit' | 'confirm' }>

/** The number of times that a decision may ask for steps or for answers of gates. */
const maxRounds = 6

/** Decides, reads the steps that the decision needs, and lets steps come to their gates. */
export async function decideJob(
  job: Stored<JobDocument>,
  { seen, visits, settled, called, pauses, leaseToken }: Deciding,
  by: DecidingBy,
): Promise<Decided | (UnreadableStep & { readonly kind: 'unreadable' })> {
  const { known, board, clock, instanceName, reserved } = by
  // If a step is ahead, the job has been continued, and the store answered with an old version.
  if (isOver(job)) return { kind: known.isAhead(job) ? 'stale' : 'nothing' }
  let { entries } = pauses
  let isConfirmed = false
  let [hasReadAll, hasResumed] = [false, false]
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    const own = [...seen.steps.keys()].filter((stepId) => job.stepIds.includes(stepId))
    const reads = own.map((stepId) => known.ensureStep(job, stepId, seen))
    const unreadable = reads.length === 0 ? [] : (await Promise.all(reads)).flat()
    // Newer code wrote the step, so this instance leaves the job alone. An instance with that code
    // continues the job after its next change (F-C10).
    if (unreadable.some((step) => step.isNewer)) return { kind: 'nothing' }
    const [first] = unreadable
    if (first !== undefined) return { kind: 'unreadable', ...first }
    // During the reads, an old page may have brought an older version of a step.
    if (!own.every((stepId) => known.hasStep(job, stepId, seen))) continue
    const steps = known.stepsOf(job)
    if (settled !== undefined) steps.set(settled.after.stepId, settled.after)
    const { passes } = visits
    const decision = schedule({
      job,
      steps,
      now: clock.now(),
      scheduler: instanceName,
      passes,
      ...(job.planned && attemptsIn(job, settled, by)),
      ...(entries.length > 0 && { pauses: { entries, isConfirmed } }),
      ...(called && { called }),
    })
    if (decision.kind === 'confirm') {
      entries = (await board.read()).entries
      isConfirmed = true
      continue
    }
    if (decision.kind === 'visit') {
      const isMissed = decision.requests.some((request) => reserved.isMissed(request))
      if (isMissed && leaseToken !== null) {
        reserved.resume(steps.values(), leaseToken)
        const unread = hasResumed ? [] : underWayAndUnread(job, steps)
        hasResumed = true
        for (const stepId of unread) {
          known.forgetStep(job, stepId)
          seen.steps.set(stepId, null)
        }
        if (unread.length > 0) continue
      }
      const requests = decision.requests.map((request) => reserved.asked(request))
      await visits.make(job, requests)
      if (leaseToken !== null) reserved.answered(requests, visits.passes, leaseToken)
      continue
    }
    const unread = hasReadAll ? [] : stepsToHide(job, decision, steps)
    if (decision.kind !== 'read' && unread.length === 0) return withSafeMessage(job, decision, steps)
    if (decision.kind !== 'read') hasReadAll = true
    for (const stepId of decision.kind === 'read' ? decision.stepIds : unread) {
      known.forgetStep(job, stepId)
      seen.steps.set(stepId, null)
    }
  }
  return { kind: 'stale' }
}

/** Returns which attempts that only the job has need no document yet, and who makes the others. */
function attemptsIn(
  job: JobDocument,
  settled: Settled | undefined,
  { inJobs }: DecidingBy,
): Pick<SchedulingState, 'inJob' | 'madeHere'> {
  // An outcome is written with what follows from it, and not with the documents of other steps.
  if (settled !== undefined) return { inJob: new Set(begunInJob(job).map(({ stepId }) => stepId)) }
  return { inJob: inJobs.of(job), madeHere: inJobs.makersOf(job) }
}

/** Returns the steps that may also wait for a time of a rate, and that an earlier process has written. */
function underWayAndUnread(job: JobDocument, steps: ReadonlyMap<string, StepDocument>): readonly string[] {
  const underWay = job.stepIds.filter((stepId) => isUnderWay(job.steps[stepId]))
  return unseen(underWay, job.steps, steps)
}

/** Returns the steps that are not known, if the decision writes a message that could contain a secret of them. */
function stepsToHide(
  job: JobDocument,
  decision: Schedule,
  steps: ReadonlyMap<string, StepDocument>,
): readonly string[] {
  if (decision.kind !== 'write' || !tellsNews(job, decision.job)) return []
  return job.stepIds.filter((stepId) => !steps.has(stepId))
}

function withSafeMessage<D extends Schedule>(
  job: JobDocument,
  decision: D,
  steps: ReadonlyMap<string, StepDocument>,
): D {
  if (decision.kind !== 'write' || !tellsNews(job, decision.job)) return decision
  return { ...decision, job: withSafeMessages(job, decision.job, [...steps.values(), ...decision.changed]) }
}
