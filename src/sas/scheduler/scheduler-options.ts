import type { Clock, Random } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { EndedJob } from '../in-process/job-endings.js'
import type { InProcessPath } from '../in-process/in-process-path.js'
import type { PauseBoard } from '../pauses/pause-board.js'
import type { StateStore } from '../store/state-store.js'

export interface SchedulerOptions {
  readonly store: StateStore
  readonly instanceName: string
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
  /** The pauses of workflows and agents. */
  readonly board: PauseBoard
  readonly inProcessPath?: InProcessPath
  /** Called with the range of open steps that were written but not started in this process. */
  readonly onOpenSteps?: (physicalRangeId: string | null) => void
  /** Called with every job that this scheduler has ended, after the end is written. */
  readonly onJobEnded?: (ended: EndedJob) => void
}
