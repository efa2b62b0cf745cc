import { errorMessage } from '../../platform/index.js'
import type { Runtime } from '../runtime/runtime.js'

/**
 * Whether an instance is not well and leaves its work to others (R124): what its user says, told once when it begins and
 * once when it is over.
 */
export class StandBy {
  private isStandingBy = false

  constructor(private readonly runtime: Pick<Runtime, 'options' | 'telemetry'>) {}

  /** Asks the user. */
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

/** One who cannot say how they are is not well. */
function reasonOf(ask: () => string | null): string | null {
  try {
    return ask()
  } catch (error) {
    return `unhealthyBecause failed: ${errorMessage(error)}`
  }
}
