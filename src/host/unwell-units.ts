import type { Telemetry, TelemetryEvent } from '../telemetry/index.js'

/** A sink that remembers which units of this process take no work, and why. */
export class UnwellUnits implements Telemetry {
  private readonly reasons = new Map<string, string>()

  emit(event: TelemetryEvent): void {
    if (event.type === 'unit.unhealthy') this.reasons.set(event.processorName, event.reason)
    if (event.type === 'unit.healthy') this.reasons.delete(event.processorName)
  }

  /** One line for each of these units. */
  get problems(): readonly string[] {
    return [...this.reasons].map(([unit, reason]) => `${unit} takes no work here: ${reason}`)
  }
}
