import type { Call, Checker, SimulationEvent } from '../../src/testing/events.js'

/** Records the requests to remote services, and their effects. */
export class CallRecorder implements Checker {
  readonly calls: Call[] = []

  check(event: SimulationEvent): readonly string[] {
    if (event.type === 'called') this.calls.push(event)
    return []
  }

  /** Returns the effects of the requests with each key, in order. */
  effectsByKey(): readonly (readonly Call['effect'][])[] {
    const keys = [...new Set(this.calls.map(({ key }) => key))]
    return keys.map((key) => this.calls.filter((call) => call.key === key).map(({ effect }) => effect))
  }
}
