import { isContainer } from './feed/cosmos-ports.js'
import type { ResolvedOptions } from './options/options.js'
import type { Runtime } from './runtime/runtime.js'

type Delegates = Runtime['delegates']

/**
 * Wraps the delegates so that each delivery runs inside the telemetry's function `during`, if there is one.
 */
export function traced(delegates: Delegates, options: ResolvedOptions): Delegates {
  const { telemetry, processorName, instanceName, monitoredContainer } = options
  const named = isContainer(monitoredContainer) ? { container: monitoredContainer.id } : {}
  if (telemetry.during === undefined) return delegates
  const within = async (leaseToken: string, count: number, deliver: () => Promise<void>): Promise<void> =>
    telemetry.during?.({ processorName, instanceName, leaseToken, count, ...named }, deliver)
  if (delegates.kind === 'pages') {
    const { onChanges } = delegates
    return {
      ...delegates,
      onChanges: (changes, context) =>
        within(context.leaseToken, changes.length, async () => onChanges(changes, context)),
    }
  }
  const { onChange } = delegates
  return {
    ...delegates,
    onChange: (change, context) => within(context.leaseToken, 1, async () => onChange(change, context)),
  }
}
