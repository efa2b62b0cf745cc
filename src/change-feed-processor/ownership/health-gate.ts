import { errorMessage } from '../../platform/internal.js'
import type { Runtime } from '../runtime/runtime.js'

/**
 * Asks the user's code whether this instance is unhealthy and must leave its work to other instances (R124).
 */
export class HealthGate {
  private reason: string | null = null

  constructor(private readonly runtime: Pick<Runtime, 'options' | 'telemetry'>) {}

  /** Returns the reason, found at the last check, why this instance must not work, or null if it may work. */
  unhealthyReason(): string | null {
    return this.reason
  }

  /** Calls the user's code. Reports a change from healthy to unhealthy or back. */
  look(): void {
    const { options, telemetry } = this.runtime
    const { processorName, instanceName } = options
    const before = this.reason
    const reason = answerOf(options.unhealthyReason)
    this.reason = reason
    if ((reason === null) === (before === null)) return
    const about = { processorName, instanceName }
    telemetry.emit(
      reason === null ? { type: 'unit.healthy', ...about } : { type: 'unit.unhealthy', reason, ...about },
    )
  }
}

/** Returns the reason to take no work. If the user's code throws, the error is the reason. */
function answerOf(ask: () => string | null): string | null {
  try {
    return ask()
  } catch (error) {
    return `unhealthyReason failed: ${errorMessage(error)}`
  }
}
