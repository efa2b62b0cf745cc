import { systemClock } from '../platform/index.js'
import { silent } from '../telemetry/internal.js'
import { cancelRun } from './client/cancel-run.js'
import { tellJobs } from './client/pauses/tell-jobs.js'
import type { UnitOptions } from './role-unit.js'
import { Supervisor, type SweepResult } from './supervisor/supervisor.js'
import { supervisorTimes, type SupervisorSettings } from './unit-settings.js'

/**
 * Recovers all overdue work once, without leases and without waiting. The function is meant for short-lived
 * hosts that a schedule starts. Other supervisors may run at the same time, because a step is recovered only
 * once even if several supervisors find it. Does not ask agents whether a step waits for a slot.
 *
 * @throws StoreUnavailable if the store could not be reached, StoreRefused if it refused permanently
 */
export function superviseOnce(
  options: Pick<UnitOptions, 'store' | 'instanceName' | 'telemetry' | 'clock'> &
    Pick<SupervisorSettings, 'deadlineGrace'>,
): Promise<SweepResult> {
  const { store, instanceName, telemetry = silent, clock = systemClock } = options
  const times = supervisorTimes(options)
  const common = { store, instanceName, telemetry, clock }
  const asOperator = { cancel: cancelRun(common), tellJobs: tellJobs(common) }
  return new Supervisor({ ...common, ...times, ...asOperator }).runOnce()
}
