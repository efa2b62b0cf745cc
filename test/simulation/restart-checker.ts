import type { VersionFields } from '../../src/emulator/engine/index.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { isStaged } from '../../src/sas/model/process-state.js'
import type { Call, Checker, SimulationEvent } from '../../src/testing/events.js'
import { stateContainer } from '../../src/testing/job-fleet.js'

/** Checks restarted jobs against the invariants I33 and I34 of docs/failure-matrix.md. */
export class RestartChecker implements Checker {
  /** The job that each job was restarted as, and the job of which each job is the restart. */
  private readonly as = new Map<string, string>()
  private readonly of = new Map<string, string>()
  /** The job that each job continues, known before the job begins. */
  private readonly origins = new Map<string, string>()
  /** By job and step in the key of an effect: the job to which restarts gave the effect. */
  private readonly owners = new Map<string, string>()
  /** The steps that were carried over and did not begin since, with the job to which their keys belong. */
  private readonly carried = new Map<string, string>()

  check(event: SimulationEvent): readonly string[] {
    if (event.type === 'called') return this.called(event)
    if (event.type !== 'written' || event.container !== stateContainer || event.after === null) return []
    const after = parsed(event.after)
    if (isJob(after)) return this.job(after)
    return isStep(after)
      ? this.step(event.before === null ? null : (parsed(event.before) as StepDocument), after)
      : []
  }

  /** Returns the links of one direction at the end. */
  left(): readonly string[] {
    const lost = [...this.as].filter(([jobId, as]) => this.of.get(as) !== jobId)
    return lost.map(([jobId, as]) => `I33: ${jobId} was restarted as ${as}, which has not begun`)
  }

  private job(after: JobDocument): readonly string[] {
    const { jobId, restartedAs, restartOf } = after
    const problems: string[] = []
    const known = this.as.get(jobId)
    if (known !== undefined && known !== restartedAs?.jobId)
      problems.push(`I33: ${jobId} was restarted as ${known}, and now as ${restartedAs?.jobId ?? 'none'}`)
    if (restartedAs !== undefined) this.as.set(jobId, restartedAs.jobId)
    if (restartOf !== undefined) this.origins.set(jobId, restartOf.jobId)
    if (restartOf === undefined || isStaged(after) || this.of.has(jobId)) return problems
    this.of.set(jobId, restartOf.jobId)
    // The write of the first job comes first in its transaction.
    if (this.as.get(restartOf.jobId) !== jobId)
      problems.push(`I33: ${jobId} begins, and ${restartOf.jobId} has no link to it`)
    return problems
  }

  private step(before: StepDocument | null, after: StepDocument): readonly string[] {
    const { jobId, stepId, keyJobId } = after
    const place = `${jobId}/${stepId}`
    if (before === null) {
      const wrong = this.wrongKeys(after)
      if (keyJobId === undefined) return wrong
      this.carried.set(place, keyJobId)
      this.owners.set(`${keyJobId}/${stepId}`, jobId)
      return wrong
    }
    if (after.dispatch <= before.dispatch) return []
    const successor = this.as.get(jobId)
    if (successor !== undefined)
      return [`I33: ${after.id} was dispatched, and its job was restarted as ${successor}`]
    if (after.direction === 'undo') return []
    const isDone = this.carried.delete(place) && before.processState === 'Processed'
    return isDone ? [`I34: ${after.id} was carried over and is done again`] : []
  }

  /** I34: a step that is done when its job begins was carried over, and has the keys under which it acted. */
  private wrongKeys({ id, jobId, stepId, keyJobId, processState }: StepDocument): readonly string[] {
    const origin = this.origins.get(jobId)
    if (origin === undefined || processState !== 'Processed') return []
    const acted = this.carried.get(`${origin}/${stepId}`) ?? origin
    if (keyJobId === acted) return []
    return [
      `I34: ${id} was carried over with keys of ${keyJobId ?? jobId}, and it acted under keys of ${acted}`,
    ]
  }

  /** I34: only the job that owns an effect undoes it, under the key that the service knows. */
  private called({ jobId, stepId, undoes }: Call): readonly string[] {
    if (undoes === null) return []
    const place = undoes.replace(/\/g\d+\/do$/u, '')
    const keyJobId = this.carried.get(`${jobId}/${stepId}`)
    if (keyJobId !== undefined && place !== `${keyJobId}/${stepId}`)
      return [`I34: ${jobId} undoes ${undoes}, and the step acted under keys of ${keyJobId}`]
    const owner = this.owners.get(place) ?? jobId
    return owner === jobId ? [] : [`I34: ${jobId} undoes ${undoes}, which belongs to ${owner}`]
  }
}

type Parsed = { readonly type: string }

function isJob(document: Parsed): document is JobDocument {
  return document.type === 'sas.job'
}

function isStep(document: Parsed): document is StepDocument {
  return document.type === 'sas.step'
}

function parsed(version: VersionFields): Parsed {
  return JSON.parse(version.text) as Parsed
}
