import type { Call, Checker, SimulationEvent } from '../../src/testing/events.js'

/** Keeps what services outside were asked for, and what they made of it. */
export class CallRecorder implements Checker {
  readonly calls: Call[] = []

  check(event: SimulationEvent): readonly string[] {
    if (event.type === 'called') this.calls.push(event)
    return []
  }

  /** What became of the requests with one key, in order, for each key. */
  effectsByKey(): readonly (readonly Call['effect'][])[] {
    const keys = [...new Set(this.calls.map(({ key }) => key))]
    return keys.map((key) => this.calls.filter((call) => call.key === key).map(({ effect }) => effect))
  }
}
