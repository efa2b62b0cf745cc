import { errorMessage } from '../../platform/internal.js'
import type { Runtime } from '../runtime/runtime.js'

/**
 * Decides whether an instance is unhealthy and leaves its work to others (R124), by the answer of the user's code.
 * Reports once when that begins and once when it ends.
 */
export class HealthGate {
  private isStandingBy = false

  constructor(private readonly runtime: Pick<Runtime, 'options' | 'telemetry'>) {}

  /** Calls the user's code and returns whether this instance must stand by. */
  isNeeded(): boolean {
    const { options, telemetry } = this.runtime
    const { processorName, instanceName } = options
    const reason = reasonOf(options.unhealthyBecause)
    const isNeeded = reason !== null
    if (isNeeded !== this.isStandingBy) {
      const about = { processorName, instanceName }
      telemetry.emit(
        reason === null ? { type: 'unit.healthy', ...about } : { type: 'unit.unhealthy', reason, ...about },
      )
    }
    this.isStandingBy = isNeeded
    return isNeeded
  }
}

/** Returns the reason to stand by. A check that throws counts as a reason. */
function reasonOf(ask: () => string | null): string | null {
  try {
    return ask()
  } catch (error) {
    return `unhealthyBecause failed: ${errorMessage(error)}`
  }
}
