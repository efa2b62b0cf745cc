import { schedule, type JobDocument, type StepDocument } from '../../sas/internal.js'
import { plannedSteps } from '../../sas/model/planned/planned-steps.js'
import { isTerminal } from '../../sas/model/process-state.js'
import type { Checker, SimulationEvent } from '../events.js'
import { stateContainer } from '../job-fleet.js'

/** The time without a write after which a handler counts as one that waits, and nothing more is expected. */
const quietMs = 60_000

interface Outlook {
  /** Whether a scheduler or an agent has something to do now. */
  readonly isBusy: boolean
  /** The time when the supervisor has something to do. */
  readonly dueMs: number
}

const nothing: Outlook = { isBusy: false, dueMs: Infinity }

/**
 * Finds whether the jobs of a store are at rest: a scheduler would write nothing, no handler runs, and no
 * deadline has passed. So only a person, an event or the time can change anything.
 */
export class Rest implements Checker {
  private readonly jobs = new Map<string, JobDocument>()
  private readonly steps = new Map<string, Map<string, StepDocument>>()
  private outlook: Outlook | null = null
  private writtenAtMs = 0

  constructor(private readonly time: { readonly now: () => number; readonly monotonic: () => number }) {}

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== stateContainer || event.after === null) return []
    const document = JSON.parse(event.after.text) as JobDocument | StepDocument | { readonly type: 'another' }
    if (document.type === 'sas.job') this.jobs.set(document.jobId, document)
    else if (document.type === 'sas.step') this.stepsOf(document.jobId).set(document.stepId, document)
    else return []
    this.writtenAtMs = this.time.monotonic()
    this.outlook = null
    return []
  }

  /** Whether nothing happens now without a person, an event, or more time. */
  get isReached(): boolean {
    if (this.time.monotonic() - this.writtenAtMs >= quietMs) return true
    this.outlook ??= this.lookAhead()
    return !this.outlook.isBusy && this.outlook.dueMs > this.time.now()
  }

  /** Calls begin the silence again after which a handler counts as one that waits. */
  begin(): void {
    this.writtenAtMs = this.time.monotonic()
    this.outlook = null
  }

  private stepsOf(jobId: string): Map<string, StepDocument> {
    const steps = this.steps.get(jobId) ?? new Map<string, StepDocument>()
    this.steps.set(jobId, steps)
    return steps
  }

  private lookAhead(): Outlook {
    const outlooks = [...this.jobs.values()].map((job) => this.outlookOf(job))
    return {
      isBusy: outlooks.some(({ isBusy }) => isBusy),
      dueMs: Math.min(...outlooks.map(({ dueMs }) => dueMs)),
    }
  }

  private outlookOf(job: JobDocument): Outlook {
    if (isTerminal(job)) return nothing
    const steps = new Map([...this.stepsOf(job.jobId), ...plannedSteps(job)])
    const next = schedule({ job, steps, now: this.time.now(), scheduler: 'scheduler' })
    const open = [...steps.values()].filter(isOpen)
    const times = [job.endByMs, ...open.map(({ completeByMs }) => completeByMs)]
    return {
      isBusy: next.kind !== 'nothing' || open.some(isWithAgent),
      dueMs: Math.min(...times.map((atMs) => atMs ?? Infinity)),
    }
  }
}

function isOpen({ processState }: StepDocument): boolean {
  return processState === 'Pending' || processState === 'Processing' || processState === 'Compensating'
}

function isWithAgent({ kind, lockedBy, outcome }: StepDocument): boolean {
  return kind === 'operation' && lockedBy !== null && outcome === null
}
