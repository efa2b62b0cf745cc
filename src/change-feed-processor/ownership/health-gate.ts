import { errorMessage } from '../../platform/internal.js'
import type { Runtime } from '../runtime/runtime.js'

/**
 * Asks the user's code whether this instance is unhealthy and leaves its work to others (R124). Reports once
 * when that begins and once when it ends.
 */
export class HealthGate {
  private reason: string | null = null

  constructor(private readonly runtime: Pick<Runtime, 'options' | 'telemetry'>) {}

  /** Returns why this instance must stand by, as of the last look; null if it may work. */
  unhealthyReason(): string | null {
    return this.reason
  }

  /** Calls the user's code. Reports if the instance has become unhealthy, or healthy. */
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

/** Returns the reason to stand by. A check that throws counts as a reason. */
function answerOf(ask: () => string | null): string | null {
  try {
    return ask()
  } catch (error) {
    return `unhealthyReason failed: ${errorMessage(error)}`
  }
}
