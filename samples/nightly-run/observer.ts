import type { Telemetry, TelemetryEvent } from 'stepward'
import { statement } from './index.js'

/** Counts the request units of a run, and the calls of the remote service that are under way at once. */
export class Observer implements Telemetry {
  requestUnits = 0
  mostAtOnce = 0
  private atWork = 0

  emit(event: TelemetryEvent): void {
    if (event.type === 'store.charged') this.requestUnits += event.charge
    if (event.type === 'step.started' && event.workflow === statement.name) {
      this.atWork += 1
      this.mostAtOnce = Math.max(this.mostAtOnce, this.atWork)
    }
    if (event.type === 'step.settled' && event.workflow === statement.name) this.atWork -= 1
  }
}
