import type { Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import { setAside } from '../decisions/set-aside.js'
import type { EndedJob } from '../in-process/job-endings.js'
import type { JobDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import type { DocumentAddress, StateStore } from '../store/state-store.js'
import { readJob, updateDocument } from '../store/update-document.js'
import type { KnownJobs } from './memory/known-jobs.js'

interface JobsAsideOptions {
  readonly store: StateStore
  readonly instanceName: string
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly onJobEnded?: (ended: EndedJob) => void
}

/** Sets aside jobs about which a scheduler cannot decide, so that other jobs of the range continue. */
export class JobsAside {
  constructor(
    private readonly options: JobsAsideOptions,
    private readonly known: KnownJobs,
    /** Called after the write with the job before it. The job leaves its limits. */
    private readonly onAside: (before: JobDocument, after: JobDocument) => void,
  ) {}

  /** Sets aside a job that cannot continue (F-V24). An operator must repair the job and resubmit it. */
  async put(
    { pk, id }: DocumentAddress,
    { message, stepId }: { readonly message: string; readonly stepId: string | null },
  ): Promise<void> {
    const { store, clock, instanceName, telemetry } = this.options
    const from = { address: { pk, id }, known: null, read: readJob }
    const obstacle = { now: clock.now(), by: instanceName, message, stepId }
    const update = await updateDocument(store, from, (job: JobDocument) => {
      if (isTerminal(job)) return { write: null, result: null }
      const aside = setAside(job, obstacle)
      return { write: aside.job, created: aside.notices, result: job }
    })
    if (update.kind !== 'written') {
      telemetry.emit({ type: 'document.refused', id, reason: message })
      return
    }
    const { document: job, result: before } = update
    if (before !== null) this.onAside(before, job)
    this.known.forget(job)
    const about = { jobId: job.jobId, workflow: job.workflow }
    telemetry.emit({ type: 'attention.raised', ...about, stepId, kind: 'corrupt', message })
    telemetry.emit({ type: 'job.finished', ...about, state: job.processState })
    this.options.onJobEnded?.({ job, steps: null })
  }
}
