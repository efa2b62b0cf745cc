import type { Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import { CommandRefused, JobUnreadable } from '../model/errors.js'
import type { StateStore } from '../store/state-store.js'
import { addressOf } from './call-arguments.js'
import { operated, updateJob } from './update-job.js'

export interface CancelRunOptions {
  readonly store: StateStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly instanceName: string
}

/**
 * Returns a function that cancels the job of an earlier tick. The function does nothing if the job has ended or
 * is being undone, or if the job cannot be read.
 */
export function cancelRun({ store, clock, telemetry, instanceName: by }: CancelRunOptions) {
  return async (jobId: string, why: string): Promise<void> => {
    try {
      const command = { kind: 'cancel' as const, by, why }
      const written = await updateJob(store, addressOf(jobId, jobId), command, () => clock.now())
      if (written === null) return
      telemetry.emit(operated(written, command))
    } catch (error) {
      if (!(error instanceof CommandRefused) && !(error instanceof JobUnreadable)) throw error
    }
  }
}
