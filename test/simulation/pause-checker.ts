import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import type { PausesDocument } from '../../src/sas/model/operator-documents.js'
import { begunInJob } from '../../src/sas/model/planned/planned-steps.js'
import { workOf } from '../../src/sas/model/work.js'
import type { Checker, SimulationEvent } from '../../src/testing/events.js'
import { stateContainer } from '../../src/testing/job-fleet.js'

/**
 * The promise of 30 s, and what the store may add: a replica that is behind for one read, and the time of the write
 * itself.
 */
const boundMs = 60_000

/** Checks that no attempt of what is paused is dispatched later than promised (I35, I36). */
export class PauseChecker implements Checker {
  /** The times since when something is paused, by kind and name. */
  private readonly since = new Map<string, number>()

  /** The steps whose first attempts only their jobs have, by id. */
  private readonly begun = new Map<string, StepDocument>()

  constructor(private readonly now: () => number) {}

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== stateContainer || event.after === null) return []
    const after = JSON.parse(event.after.text) as { readonly type?: unknown }
    if (after.type === 'sas.pauses') this.note(after as PausesDocument)
    if (after.type === 'sas.job') return this.job(after as JobDocument)
    if (after.type !== 'sas.step') return []
    const step = after as StepDocument
    const before =
      event.before === null ? this.begun.get(step.id) : (JSON.parse(event.before.text) as StepDocument)
    this.begun.delete(step.id)
    return this.step(before ?? null, step)
  }

  private job(job: JobDocument): readonly string[] {
    return begunInJob(job).flatMap((step) => {
      const before = this.begun.get(step.id) ?? null
      this.begun.set(step.id, step)
      return this.step(before, step)
    })
  }

  private note({ entries }: PausesDocument): void {
    const on = new Set(entries.filter(({ phase }) => phase === 'on').map(nameOf))
    for (const name of this.since.keys()) if (!on.has(name)) this.since.delete(name)
    for (const name of on) if (!this.since.has(name)) this.since.set(name, this.now())
  }

  private step(before: StepDocument | null, after: StepDocument): readonly string[] {
    if (this.since.size === 0) return []
    const { kind, lockedBy, dispatch, workflow } = after
    const isDispatch = kind === 'operation' && lockedBy !== null && dispatch > (before?.dispatch ?? 0)
    if (!isDispatch) return []
    const { actor } = workOf(after)
    return [
      { rule: 'I35', target: { kind: 'workflow', name: workflow } },
      { rule: 'I36', target: { kind: 'agent', name: actor } },
    ].flatMap(({ rule, target }) => {
      const pausedMs = this.now() - (this.since.get(nameOf(target)) ?? Infinity)
      if (!(pausedMs > boundMs)) return []
      return [
        `${rule}: ${after.id} was dispatched ${pausedMs} ms after ${target.kind} ${target.name} was paused`,
      ]
    })
  }
}

function nameOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`
}
