import { compare, durationMs } from '../platform/internal.js'
import { isObject } from '../platform/options.js'
import {
  processStates,
  type JobDocument,
  type NoticeDocument,
  type StepDocument,
} from '../sas/model/documents.js'
import type { GateDocument } from '../sas/model/gate-documents.js'
import type { ScheduleDocument } from '../sas/model/schedule-documents.js'
import { jobDocumentId } from '../sas/model/document-ids.js'
import { decodeDocument } from '../sas/model/decode.js'
import { readTags } from '../sas/model/tags.js'
import { comparePositions, pagePositionOf } from '../sas/store/job-pages.js'
import {
  defaultListLimit,
  type JobCounts,
  type JobQueries,
  type PartitionFeed,
  type VersionsRead,
} from '../sas/store/job-queries.js'
import type { StateDocument, Stored } from '../sas/store/state-store.js'
import { asGate, asJob, asNotice, asSchedule, asStep } from '../sas/store/decoded-documents.js'
import { hasText } from '../sas/store/filters/job-conditions.js'
import type { JobFilter, NoticeFilter, QuestionFilter } from '../sas/store/filters/job-filter.js'
import { hasStepOf, isStepOf, waitingTypes } from '../sas/store/filters/waiting-steps.js'
import { type ChangeFeedStart, readChanges, type JsonObject } from '../emulator/engine/index.js'
import { EngineDocuments, type EngineStateStoreOptions } from './engine-documents.js'
import { isFlag, isPause, stored } from './state-documents.js'
import { readVersions } from './engine-versions.js'

/** Implements the port for queries about jobs directly on the engine. */
export class EngineJobQueries implements JobQueries {
  private readonly documents: EngineDocuments

  constructor(options: EngineStateStoreOptions) {
    this.documents = new EngineDocuments(options)
  }

  async listJobs(filter: JobFilter): Promise<readonly Stored<JobDocument>[]> {
    const { limit = defaultListLimit, after } = filter
    const end = after === undefined ? null : pagePositionOf(after)
    const found = await this.documents.find((document) => isMatch(document, filter))
    const isWaiting = await this.hasStepOf(filter)
    return found
      .flatMap((version) => asJob(stored(version)))
      .filter(isWaiting)
      .map((job) => ({ job, position: { ms: job.submittedAtMs, id: job.id } }))
      .filter(({ position }) => end === null || comparePositions(position, end) > 0)
      .sort((one, other) => comparePositions(one.position, other.position))
      .slice(0, limit)
      .map(({ job }) => job)
  }

  /** Returns a check whether a job has a step of this filter. */
  private async hasStepOf({ waitingFor, agent }: JobFilter): Promise<(job: JobDocument) => boolean> {
    if (waitingFor === undefined && agent === undefined) return () => true
    const types = waitingTypes(waitingFor)
    const found = await this.documents.find(
      (document) =>
        types.some((type) => type === document['type']) && isStepOf({ waitingFor, agent }, document),
    )
    const jobs = found.flatMap((version) => asJob(stored(version))).map(({ pk, jobId }) => ({ pk, jobId }))
    return hasStepOf([...jobs, ...found.flatMap((version) => asStep(stored(version)))])
  }

  async countJobs(): Promise<JobCounts> {
    const counts = new Map<unknown, number>(processStates.map((state) => [state, 0]))
    for (const { document } of await this.documents.find(({ type }) => type === 'sas.job')) {
      const { processState } = document
      const count = counts.get(processState)
      if (count !== undefined) counts.set(processState, count + 1)
    }
    return Object.fromEntries(counts) as JobCounts
  }

  async countOpen(): Promise<number> {
    const { Pending, Processing, Compensating } = await this.countJobs()
    return Pending + Processing + Compensating
  }

  async findJob(jobId: string): Promise<Stored<StateDocument> | null> {
    const id = jobDocumentId(jobId)
    const found = await this.documents.find((document) => document['id'] === id, { limit: 1 })
    return found.map(stored).find((document) => decodeDocument(document).kind !== 'foreign') ?? null
  }

  async listUndelivered(filter: NoticeFilter): Promise<readonly Stored<NoticeDocument>[]> {
    const { jobId, workflow, limit = defaultListLimit } = filter
    const isGivenUp = (document: Readonly<JsonObject>): boolean =>
      document['type'] === 'sas.notify' &&
      isFlag(document['attention']) &&
      (jobId === undefined || document['jobId'] === jobId) &&
      (workflow === undefined || document['workflow'] === workflow)
    const found = await this.documents.find(isGivenUp, { limit })
    return found.flatMap((version) => asNotice(stored(version)))
  }

  async listQuestions(filter: QuestionFilter): Promise<readonly Stored<StepDocument>[]> {
    const { assignee, workflow, newestFirst = false, limit = defaultListLimit } = filter
    const found = await this.documents.swept('state.listQuestions', ({ type, asked }) => {
      return type === 'sas.step' && isObject(asked) && 'since' in asked
    })
    const sign = newestFirst ? -1 : 1
    return this.documents
      .read(found)
      .flatMap((version) => asStep(stored(version)))
      .flatMap((step) => (step.asked ? [{ step, asked: step.asked }] : []))
      .filter(({ step }) => workflow === undefined || step.workflow === workflow)
      .filter(({ asked: { assignees: all } }) => {
        return assignee === undefined || all.length === 0 || all.includes(assignee)
      })
      .sort((one, other) => sign * compare(one.asked.since, other.asked.since))
      .slice(0, limit)
      .map(({ step }) => step)
  }

  async listSchedules(): Promise<readonly Stored<ScheduleDocument>[]> {
    const found = await this.documents.find(({ type }) => type === 'sas.schedule')
    return found.flatMap((version) => asSchedule(stored(version)))
  }

  async listGates(): Promise<readonly Stored<GateDocument>[]> {
    const found = await this.documents.find(({ type }) => type === 'sas.gate')
    return found.flatMap((version) => asGate(stored(version)))
  }

  async listOperated(beforeMs: number | null, limit: number): Promise<readonly Stored<StateDocument>[]> {
    const timeOf = (document: Readonly<JsonObject>): number => Number(document['operatedAtMs'] ?? 0)
    const found = await this.documents.find(
      (document) => timeOf(document) > 0 && (beforeMs === null || timeOf(document) < beforeMs),
    )
    const sorted = found.map(stored).sort((one, other) => timeOf(other) - timeOf(one))
    const last = sorted[limit - 1]
    return last === undefined ? sorted : sorted.filter((document) => timeOf(document) >= timeOf(last))
  }

  async listVersions(partition: string, after: string, limit: number): Promise<VersionsRead> {
    const read = readVersions(this.documents.container(), { partition, after, limit })
    await this.documents.settled()
    return read
  }

  async firstLsn(partition: string, atMs: number): ReturnType<JobQueries['firstLsn']> {
    const container = this.documents.container()
    const place = container.locate([partition])
    const page = { ...place, start: { kind: 'time', atMs }, maxItemCount: 1 } as const
    const { versions, charge } = readChanges(container, place.partition, page)
    await this.documents.settled()
    return { lsn: versions[0]?.lsn ?? null, charge }
  }

  follow(partition: string): PartitionFeed {
    let start: ChangeFeedStart = { kind: 'beginning' }
    return {
      readNext: async () => {
        const container = this.documents.container()
        const place = container.locate([partition])
        const { versions, lsn } = readChanges(container, place.partition, {
          ...place,
          start,
          maxItemCount: 100,
        })
        await this.documents.settled()
        start = { kind: 'after', lsn }
        return versions.map(stored)
      },
    }
  }
}

function isMatch(document: Readonly<JsonObject>, filter: JobFilter): boolean {
  const { state, workflow, since, before, isFlagged, isPaused, attention: kind, step } = filter
  const { type, processState, submittedAtMs, attention } = document
  const tags = document['tags']
  return (
    type === 'sas.job' &&
    (state === undefined || processState === state) &&
    (workflow === undefined || document['workflow'] === workflow) &&
    (since === undefined || Number(submittedAtMs) >= since.getTime()) &&
    (before === undefined || Number(submittedAtMs) < before.getTime()) &&
    (isFlagged === undefined || isFlag(attention)) &&
    (isPaused === undefined || isPause(document['paused'])) &&
    (kind === undefined || (isFlag(attention) && attention['kind'] === kind)) &&
    (step === undefined || (isFlag(attention) && attention['stepId'] === step)) &&
    (filter.text === undefined || hasText(document, filter.text)) &&
    (filter.tookAtLeast === undefined || tookMs(document) >= Number(durationMs(filter.tookAtLeast))) &&
    readTags(filter.tags ?? {}).stored.every((tag) => Array.isArray(tags) && tags.includes(tag))
  )
}

/** Returns the time from the submission of a job to its end. NaN if it has not ended. */
function tookMs({ endedAtMs, submittedAtMs }: Readonly<JsonObject>): number {
  return typeof endedAtMs === 'number' ? endedAtMs - Number(submittedAtMs) : Number.NaN
}
