import type { VersionFields } from '../../src/emulator/engine/index.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import type { GateDocument, Visitor } from '../../src/sas/model/gate-documents.js'
import type { Checker, SimulationEvent } from '../../src/testing/events.js'
import { stateContainer } from '../../src/testing/job-fleet.js'
import { rateOf, ReservedTimes } from './rate-rule.js'

/** Checks the gates of limits against the invariants I25, I26, I40 and I43 of docs/failure-matrix.md. */
export class GateChecker implements Checker {
  /** The current gates by key. */
  private readonly gates = new Map<string, GateDocument>()
  /** The current jobs with limits of their own. */
  private readonly jobs = new Map<string, JobDocument>()
  /** The times that rates have reserved, by the key of the limit. */
  private readonly reserved = new Map<string, ReservedTimes>()

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== stateContainer || event.after === null) return []
    const after = parsed(event.after)
    const before = event.before === null ? null : parsed(event.before)
    if (after.type === 'sas.gate') return this.gate(before as GateDocument | null, after)
    if (isJob(after)) {
      if (after.limits !== undefined) this.jobs.set(jobName(after), after)
      return []
    }
    return isStep(after) ? this.step(before as StepDocument | null, after) : []
  }

  private gate(before: GateDocument | null, after: GateDocument): readonly string[] {
    const { key, holders, lanes, completeByMs, nextNumber } = after
    this.gates.set(key, after)
    this.timesOf(key).ruledBy(after)
    const problems: string[] = []
    const atOnce = atOnceOf(after)
    if (holders.length > atOnce && holders.length > (before?.holders.length ?? 0))
      problems.push(`I25: ${holders.length} steps are inside gate ${key}, which lets in ${atOnce}`)
    if (new Set(holders.map(nameOf)).size < holders.length)
      problems.push(`I25: a step is inside gate ${key} twice`)
    // No step of a paused limit is called, and its last holder is checked.
    const isAtRest = atOnce === 0 && holders.length === 0
    if (lanes.length > 0 && completeByMs === null && !isAtRest)
      problems.push(`I26: steps wait at gate ${key} and no supervisor checks it`)
    for (const { group, priority, first, next } of lanes) {
      const was = before?.lanes.find((lane) => lane.group === group && lane.priority === priority)
      if (first >= next) problems.push(`I26: the queue of ${group} at gate ${key} is empty`)
      if (was !== undefined && (first < was.first || next < was.next))
        problems.push(`I26: the queue of ${group} at gate ${key} goes backwards`)
    }
    if (before !== null && nextNumber < before.nextNumber)
      problems.push(`I26: the numbers of gate ${key} go backwards`)
    return problems
  }

  private timesOf(key: string): ReservedTimes {
    const times = this.reserved.get(key) ?? new ReservedTimes()
    this.reserved.set(key, times)
    return times
  }

  /** A step that waits for a rate has a time of its own. */
  private rate({ id, place }: StepDocument): readonly string[] {
    const key = place === undefined ? null : rateOf(place)
    if (key === null || place === undefined || place.reservedMs === null) return []
    const times = this.timesOf(key)
    times.add(id, place.reservedMs)
    const window = times.tooMany()
    return window === null ? [] : [`I43: limit ${key} has more attempts than its rate allows ${window}`]
  }

  /** An attempt is dispatched only while its step is inside every gate. */
  private step(before: StepDocument | null, after: StepDocument): readonly string[] {
    return [...this.rate(after), ...this.places(before, after)]
  }

  private places(before: StepDocument | null, after: StepDocument): readonly string[] {
    const { place, direction, lockedBy, dispatch, pk, jobId, stepId } = after
    const isDispatch = lockedBy !== null && dispatch > (before?.dispatch ?? 0)
    if (!isDispatch || direction === 'undo') return []
    const job = this.jobs.get(jobName(after))
    const ofJob = job === undefined ? [] : this.inside('I40', { ...after, stepId: '' }, job.place)
    if (after.limits === undefined) return ofJob
    return [...ofJob, ...this.inside('I25', { pk, jobId, stepId }, place)]
  }

  /** Checks that a step or a job is inside every gate of its place. */
  private inside(
    invariant: string,
    { pk, jobId, stepId }: Pick<Visitor, 'pk' | 'jobId' | 'stepId'>,
    place: StepDocument['place'],
  ): readonly string[] {
    const who = `step ${JSON.stringify(stepId)} of job ${jobId}`
    if (place === undefined || place.gates.length === 0 || place.waitsFor !== null)
      return [`${invariant}: ${who} is at work and came to no gate`]
    const visitor = { pk, jobId, stepId, entry: place.entry }
    return place.gates.flatMap(({ key }) => {
      const gate = this.gates.get(key)
      if (gate === undefined) return [`${invariant}: ${who} is at work without gate ${key}`]
      const isInside = gate.holders.some((holder) => nameOf(holder) === nameOf(visitor))
      return isInside || atOnceOf(gate) === Infinity ? [] : [`${invariant}: ${who} is not inside gate ${key}`]
    })
  }
}

function isJob(document: object): document is JobDocument {
  return 'type' in document && document.type === 'sas.job'
}

function jobName({ pk, jobId }: Pick<Visitor, 'pk' | 'jobId'>): string {
  return JSON.stringify([pk, jobId])
}

function isStep(document: object): document is StepDocument {
  return 'type' in document && document.type === 'sas.step'
}

function parsed({ text }: VersionFields): JobDocument | StepDocument | GateDocument {
  return JSON.parse(text) as JobDocument | StepDocument | GateDocument
}

function atOnceOf({ operated, rules }: GateDocument): number {
  return (operated ?? rules).atOnce ?? Infinity
}

function nameOf({ pk, jobId, stepId, entry }: Visitor): string {
  return JSON.stringify([pk, jobId, stepId, entry])
}
