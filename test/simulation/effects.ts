import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { isStaged } from '../../src/sas/model/process-state.js'
import { idempotencyKey, mayHaveEffect } from '../../src/sas/model/work.js'
import type { Call } from '../../src/testing/events.js'
import { keyOfStep } from './remote-services.js'

/** Finds the document of a step. Returns null if there is none. */
type FindStep = (jobId: string, stepId: string) => StepDocument | null

/**
 * Tracks what services have done for each step and not undone, by key over all generations (I6, I9, I21). It
 * judges by the calls of services and the stored documents, and uses no production decisions.
 */
export class Effects {
  /** By job and step: the input of each live key. */
  private readonly live = new Map<string, Map<string, string>>()
  /** By job and step: the place of the same step after it was carried over into another job. */
  private readonly movedTo = new Map<string, string>()
  /** Keys whose success was recorded. */
  private readonly accepted = new Set<string>()

  constructor(private readonly stepOf: FindStep) {}

  /** Returns the invariant that an answered call breaks. */
  called({ jobId, stepId, key: keyOfCall, undoes, asked, effect }: Call): readonly string[] {
    const key = keyOfStep(keyOfCall)
    const keys = this.keysOf(jobId, stepId)
    if (effect === 'undone' && undoes !== null) keys.delete(undoes)
    if (effect !== 'done') return []
    const same = [...keys].find(([other, item]) => other !== key && item === asked)
    keys.set(key, asked)
    const twice =
      same === undefined ? [] : [`I9: ${same[0]} has its effect, and ${key} has the same once more`]
    const step = this.stepOf(jobId, stepId)
    return step === null ? twice : [...twice, ...this.forgotten(step)]
  }

  /** Returns the invariant that a stored step breaks. */
  stored(step: StepDocument): readonly string[] {
    return this.forgotten(step)
  }

  /** Notes that a restart has given the step, with its effects, to another job (I34). */
  carriedOver(stepId: string, from: string, to: string): void {
    const keys = this.keysOf(from, stepId)
    this.live.set(placeOf(to, stepId), keys)
    this.live.delete(placeOf(from, stepId))
    this.movedTo.set(placeOf(from, stepId), placeOf(to, stepId))
  }

  /** Records the success of an attempt with this key. */
  noteSuccess(key: string): void {
    this.accepted.add(keyOfStep(key))
  }

  /**
   * Returns the invariant that is broken at the end of a job. In a Processed job, every done step has its
   * effect. In a Compensated job, no step with an undo has an effect; with `undoUncertain: false`, no step
   * has a known effect.
   */
  left(job: JobDocument, steps: ReadonlyMap<string, StepDocument>): readonly string[] {
    // The restart of the job undoes what it carried over, and an operator decided about the rest. A job that
    // has not begun owns nothing.
    if (job.restartedAs !== undefined || isStaged(job)) return []
    const isHome = job.processState === 'Compensated'
    return [...steps.values()]
      .filter(({ kind }) => kind === 'operation')
      .flatMap((step) => {
        const live = [...this.keysOf(job.jobId, step.stepId).keys()]
        const own = idempotencyKey(step, step.generation, 'do')
        const isDone = step.processState === 'Processed' && !isHome
        if (isDone && !live.includes(own)) return [`I21: ${own} is Processed and was never done`]
        if (!isHome || step.undo === null) return []
        const isForDoubt = step.undo.whenUncertain
        return live
          .filter((key) => isForDoubt || this.accepted.has(key))
          .map((key) => `I6: job ${job.jobId} is Compensated, ${key} was not undone`)
      })
  }

  /**
   * I6: no step says that it did nothing under a key with an effect. A doubtful generation may be forgotten
   * if it is not undone.
   */
  private forgotten(step: StepDocument): readonly string[] {
    const place = placeOf(step.jobId, step.stepId)
    const keys = this.movedTo.has(place) ? undefined : this.live.get(place)
    if (keys === undefined || keys.size === 0) return []
    const known = new Set(step.owed.map(({ generation }) => idempotencyKey(step, generation, 'do')))
    const own = idempotencyKey(step, step.generation, 'do')
    if (isPossible(step)) known.add(own)
    const lost = [...keys.keys()].filter((key) => !known.has(key))
    if (step.undo?.whenUncertain !== true) {
      const sure = lost.filter((key) => this.accepted.has(key) && step.undo !== null)
      return sure.map((key) => `I6: ${key} was done, and ${step.id} has forgotten it`)
    }
    return lost.map((key) => `I6: ${key} has its effect, and ${step.id} says that it did nothing`)
  }

  private keysOf(jobId: string, stepId: string): Map<string, string> {
    let place = placeOf(jobId, stepId)
    for (let next = this.movedTo.get(place); next !== undefined; next = this.movedTo.get(place)) place = next
    const known = this.live.get(place)
    if (known !== undefined) return known
    const keys = new Map<string, string>()
    this.live.set(place, keys)
    return keys
  }
}

function placeOf(jobId: string, stepId: string): string {
  return `${jobId} ${stepId}`
}

/** Checks whether the step says that its own key may have had its effect. */
function isPossible(step: StepDocument): boolean {
  if (step.mayHaveActed || step.processState === 'Processed') return true
  if (step.direction === 'undo') return false
  return step.outcome === null ? step.lockedBy !== null : mayHaveEffect(step.outcome)
}
