import {
  processStates,
  type JobDocument,
  type NoticeDocument,
  type ProcessState,
  type StepDocument,
} from '../../model/documents.js'
import { jobDocumentId } from '../../model/document-ids.js'
import type { GateDocument } from '../../model/gate-documents.js'
import type { ScheduleDocument } from '../../model/schedule-documents.js'
import { decodeDocument } from '../../model/decode.js'
import { CosmosPartitionFeed } from './cosmos-partition-feed.js'
import { CosmosVersions } from './cosmos-versions.js'
import { CosmosStateRequests, type CosmosStateStoreOptions, type Question } from './cosmos-state-requests.js'
import { asGate, asJob, asNotice, asSchedule, asStep } from '../decoded-documents.js'
import { jobConditions, waitingQuery } from '../filters/job-conditions.js'
import type { JobFilter, NoticeFilter, QuestionFilter } from '../filters/job-filter.js'
import { jobPage, pagePositionOf, positionOf, type JobQuestions } from '../job-pages.js'
import {
  defaultListLimit,
  type JobCounts,
  type JobQueries,
  type PartitionFeed,
  type VersionsRead,
} from '../job-queries.js'
import type { StateDocument, Stored } from '../state-store.js'
import { hasStepOf, type WaitingStep } from '../filters/waiting-steps.js'

/** The least number of jobs that one query asks for, if not all of them belong to the list. */
const leastAsked = 100

/** The {@link JobQueries} of Azure Cosmos DB, its emulator or the embedded Cosmos DB. */
export class CosmosJobQueries implements JobQueries {
  private readonly requests: CosmosStateRequests
  private readonly versions: CosmosVersions

  constructor(options: CosmosStateStoreOptions) {
    this.requests = new CosmosStateRequests(options)
    this.versions = new CosmosVersions(this.requests)
  }

  async listJobs(filter: JobFilter): Promise<readonly Stored<JobDocument>[]> {
    const { limit = defaultListLimit, after, waitingFor, agent } = filter
    const isAboutSteps = waitingFor !== undefined || agent !== undefined
    const waiting = isAboutSteps ? await this.waitingSteps(filter) : null
    if (waiting?.length === 0) return []
    const isWanted = waiting === null ? () => true : hasStepOf(waiting)
    const questions = this.questionsOf(filter, waiting)
    const found: Stored<JobDocument>[] = []
    // Unreadable documents count towards the limit of a query, but must not count towards the limit of the
    // list. The same holds for jobs whose steps do not wait for what the filter says.
    for (let end = after === undefined ? null : pagePositionOf(after); found.length < limit;) {
      const asked = waiting === null ? limit - found.length : Math.max(limit, leastAsked)
      const page = await jobPage(questions, end, asked)
      found.push(...page.flatMap(asJob).filter(isWanted))
      end = positionOf(page.at(-1))
      if (page.length < asked || end === null) break
    }
    return found.slice(0, limit)
  }

  async countJobs(): Promise<JobCounts> {
    const counts = processStates.map(async (state): Promise<[ProcessState, number]> => {
      const [count = 0] = await this.requests.query<number>('state.countJobs', {
        text: "SELECT VALUE COUNT(1) FROM c WHERE c.type = 'sas.job' AND c.processState = @state",
        parameters: { state },
      })
      return [state, count]
    })
    return Object.fromEntries(await Promise.all(counts)) as JobCounts
  }

  async countOpen(): Promise<number> {
    const isOpen = "c.processState IN ('Pending', 'Processing', 'Compensating')"
    const [count = 0] = await this.requests.query<number>('state.countOpen', {
      text: `SELECT VALUE COUNT(1) FROM c WHERE c.type = 'sas.job' AND ${isOpen}`,
      parameters: {},
    })
    return count
  }

  async findJob(jobId: string): Promise<Stored<StateDocument> | null> {
    const found = await this.requests.query<Stored<StateDocument>>('state.findJob', {
      text: 'SELECT * FROM c WHERE c.id = @id',
      parameters: { id: jobDocumentId(jobId) },
    })
    return found.find((document) => decodeDocument(document).kind !== 'foreign') ?? null
  }

  async listUndelivered(filter: NoticeFilter): Promise<readonly Stored<NoticeDocument>[]> {
    const { jobId, workflow, limit = defaultListLimit } = filter
    const conditions = ["c.type = 'sas.notify'", "c.attention.kind = 'notify'"]
    if (jobId !== undefined) conditions.push('c.jobId = @jobId')
    if (workflow !== undefined) conditions.push('c.workflow = @workflow')
    const found = await this.requests.query<Stored<StateDocument>>('state.listUndelivered', {
      text: `SELECT TOP @limit * FROM c WHERE ${conditions.join(' AND ')}`,
      parameters: { limit, jobId, workflow },
    })
    return found.flatMap(asNotice)
  }

  async listQuestions(filter: QuestionFilter): Promise<readonly Stored<StepDocument>[]> {
    const { assignee, workflow, newestFirst = false, limit = defaultListLimit } = filter
    const conditions = ["c.type = 'sas.step'", 'IS_DEFINED(c.asked.since)']
    const mine = '(ARRAY_CONTAINS(c.asked.assignees, @assignee) OR ARRAY_LENGTH(c.asked.assignees) = 0)'
    if (assignee !== undefined) conditions.push(mine)
    if (workflow !== undefined) conditions.push('c.workflow = @workflow')
    const order = newestFirst ? ' DESC' : ''
    const found = await this.requests.query<Stored<StateDocument>>('state.listQuestions', {
      text: `SELECT TOP @limit * FROM c WHERE ${conditions.join(' AND ')} ORDER BY c.asked.since${order}`,
      parameters: { limit, assignee, workflow },
    })
    return found.flatMap(asStep)
  }

  async listSchedules(): Promise<readonly Stored<ScheduleDocument>[]> {
    const found = await this.requests.query<Stored<StateDocument>>('state.listSchedules', {
      text: "SELECT * FROM c WHERE c.type = 'sas.schedule'",
      parameters: {},
    })
    return found.flatMap(asSchedule)
  }

  async listGates(): Promise<readonly Stored<GateDocument>[]> {
    const found = await this.requests.query<Stored<StateDocument>>('state.listGates', {
      text: "SELECT * FROM c WHERE c.type = 'sas.gate'",
      parameters: {},
    })
    return found.flatMap(asGate)
  }

  async listOperated(beforeMs: number | null, limit: number): Promise<readonly Stored<StateDocument>[]> {
    const ask = (where: string, parameters: Readonly<Record<string, number | undefined>>, top = '') =>
      this.requests.query<Stored<StateDocument>>('state.listOperated', {
        text: `SELECT ${top} * FROM c WHERE ${where} ORDER BY c.operatedAtMs DESC`,
        parameters,
      })
    const where = beforeMs === null ? 'c.operatedAtMs > 0' : 'c.operatedAtMs > 0 AND c.operatedAtMs < @before'
    const page = await ask(where, { before: beforeMs ?? undefined, limit }, 'TOP @limit')
    const last = page.at(-1)?.['operatedAtMs']
    if (page.length < limit || typeof last !== 'number') return page
    const cut = await ask('c.operatedAtMs = @ms', { ms: last })
    return [...page.filter((document) => document['operatedAtMs'] !== last), ...cut]
  }

  /**
   * Lists steps at work whose agent is none of these, and all steps that are being undone, in no order. An index on the agent
   * finds them, so the steps of these agents do not count towards the charge.
   */
  async listUnserved(agents: readonly string[], limit: number): Promise<readonly Stored<StepDocument>[]> {
    const { condition, parameters } = otherThan('c.actor', agents)
    const found = await this.requests.query<Stored<StateDocument>>('state.listUnserved', {
      text: `SELECT TOP @limit * FROM c WHERE c.type = 'sas.step' AND (c.processState = 'Compensating' OR (c.processState = 'Processing' AND ${condition}))`,
      parameters: { limit, ...parameters },
    })
    return found.flatMap(asStep)
  }

  listVersions(partition: string, after: string, limit: number): Promise<VersionsRead> {
    return this.versions.list(partition, after, limit)
  }

  firstLsn(partition: string, sinceMs: number): ReturnType<JobQueries['firstLsn']> {
    return this.versions.firstLsn(partition, sinceMs)
  }

  follow(partition: string): PartitionFeed {
    const operation = 'state.follow'
    const feed = new CosmosPartitionFeed(this.requests.container, partition, (charge) =>
      this.requests.charge(operation, charge),
    )
    return { readNext: () => this.requests.asking(operation, () => feed.readNext()) }
  }

  private waitingSteps(filter: JobFilter): Promise<readonly WaitingStep[]> {
    return this.requests.query<WaitingStep>('state.listWaiting', waitingQuery(filter))
  }

  private questionsOf(filter: JobFilter, waiting: readonly WaitingStep[] | null): JobQuestions {
    const given = jobConditions(filter, waiting)
    const ask = (
      more: readonly string[],
      order: string,
      parameters: Question['parameters'],
    ): Promise<Stored<StateDocument>[]> =>
      this.requests.query('state.listJobs', {
        text:
          `SELECT TOP @limit * FROM c WHERE ${[...given.conditions, ...more].join(' AND ')} ` +
          `ORDER BY ${order}`,
        parameters: { ...given.parameters, ...parameters },
      })
    return {
      newest: (olderThanMs, limit) =>
        ask(olderThanMs === null ? [] : ['c.submittedAtMs < @olderThan'], 'c.submittedAtMs DESC', {
          olderThan: olderThanMs ?? undefined,
          limit,
        }),
      within: (ms, afterId, limit) =>
        ask(['c.submittedAtMs = @ms', ...(afterId === null ? [] : ['c.id > @afterId'])], 'c.id', {
          ms,
          afterId: afterId ?? undefined,
          limit,
        }),
    }
  }
}

/**
 * Returns the condition that a text is neither empty nor one of these. It has the form of ranges, because an index does
 * not serve an inequality.
 */
function otherThan(field: string, texts: readonly string[]) {
  const names = [...new Set(texts)].sort()
  const parameters = Object.fromEntries(names.map((name, index) => [`other${index}`, name]))
  const ranges = [...names, null].map((name, index) => {
    const above = index === 0 ? `${field} > ''` : `${field} > @other${index - 1}`
    return name === null ? above : `(${above} AND ${field} < @other${index})`
  })
  return { condition: `(${ranges.join(' OR ')})`, parameters }
}
