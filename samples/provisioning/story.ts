import { systemClock, type Telemetry, type TelemetryEvent } from 'stepward'

/** Prints the events of a run, with the numbers from the pattern's original description. */
export class Story implements Telemetry {
  private readonly startedMs = systemClock.monotonic()

  constructor(private readonly tell: (line: string) => void) {}

  emit(event: TelemetryEvent): void {
    const line = lineOf(event)
    if (line === null) return
    const seconds = ((systemClock.monotonic() - this.startedMs) / 1_000).toFixed(1)
    this.tell(`${seconds.padStart(5)} s  ${line}`)
  }
}

function lineOf(event: TelemetryEvent): string | null {
  // Other events (leases, polls, charges) are not part of the story.
  if (event.type === 'job.submitted') {
    return '(1) the shop receives the order; (2) job and steps are recorded, Disabled, with the intent Active'
  }
  if (event.type === 'step.dispatched') return dispatched(event)
  if (event.type === 'step.started' && event.stepId === 'database') {
    return '(4) the agent calls the remote service'
  }
  if (event.type === 'step.settled') {
    return `${event.stepId === 'database' ? '(5)' : '(9)'} ${event.stepId}: the agent records the outcome`
  }
  if (event.type === 'step.recovered') {
    return `(8) ${event.stepId}: the deadline has passed; the supervisor asks for another attempt`
  }
  if (event.type === 'job.finished') return `(9) every step is at its target: the job is ${event.state}`
  return null
}

function dispatched({ stepId, attempt }: TelemetryEvent & { type: 'step.dispatched' }): string {
  if (stepId === 'database') return `(3) ${stepId}: intent Active and a deadline; sent to its agent`
  if (attempt === 1) return `(6) ${stepId} is next; (7) sent to its agent, which does not answer`
  return `(8) ${stepId}: once more, with the same key and a new deadline`
}
