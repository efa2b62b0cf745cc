import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../platform/index.js'
import { inSlices } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import { defineAgent, definitionOf, type Agent, type AgentContext } from '../agents/agent.js'
import type { JobAddress } from '../in-process/job-endings.js'
import type { JobDocument, Json } from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import {
  JobConflict,
  JobUnreadable,
  PayloadUnavailable,
  StoreUnavailable,
  SubmissionInvalid,
} from '../model/errors.js'
import { isTerminal } from '../model/process-state.js'
import type { Payloads } from '../payloads/payloads.js'
import { listProblem } from '../plan/gather.js'
import { hideDocuments, withoutSecretsOf } from '../plan/hide-documents.js'
import {
  itemsOperation,
  itemsToSubmit,
  noItemsYet,
  withEnds,
  withSubmitted,
  type ItemEnd,
  type ItemsInput,
  type ItemsState,
} from '../plan/item-jobs.js'
import { listSteps } from '../store/read-steps.js'
import type { StateStore } from '../store/state-store.js'
import { readableJob } from '../store/unreadable-jobs.js'
import { maxIdLength, submitProblems } from '../submission/submit-problems.js'
import { storedPlanRequest } from '../submission/stored-plan-request.js'
import type { BeginSubmission } from '../submission/begun-submission.js'
import type { SubmitRequest } from '../submission/submit.js'
import { ensureSubmitted, type AcceptedJob } from '../submission/write-submission.js'
import { fittedInput } from '../workflow/fitted-input.js'
import { ItemPace } from './item-pace.js'
import { ItemWatch, type ItemEndings } from './item-watch.js'

export interface ItemsAgentOptions extends ItemEndings {
  readonly store: StateStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly payloads: Payloads
  /** Lets the scheduler of this process begin an item while it is submitted. Default: items begin later. */
  readonly beginSubmission?: BeginSubmission
  readonly onAccepted?: (accepted: AcceptedJob) => void
  /** Whether other lists of this process wait for a round. Default: they never do. */
  readonly othersWait?: () => boolean
}

/** The number of rounds that run in one process. They mostly wait, so they do not count towards the slots of the process. */
const roundsAtOnce = 32
/** The number of requests to the store at the same time. */
const requestsAtOnce = 16
/** The longest time of a round, whose state is recorded at its end. While other lists wait for a round, it is shorter. */
const [roundMs, shortRoundMs] = [20_000, 5_000]
/** The longest value of a tag. A parent with a longer id is no tag of its items. */
const maxTagLength = 100

/**
 * Returns the agent that submits the items of large lists as jobs, and counts their ends. Each call is one
 * round of a repeated step. It begins with the recorded state of the round before, so a repeated call counts
 * no item twice (I32).
 */
export function itemsAgent(options: ItemsAgentOptions): Agent {
  const withPace = { ...options, pace: new ItemPace() }
  const each = (input: ItemsInput, context: AgentContext): Promise<ItemsState> =>
    new Round(withPace, input, context).run()
  return defineAgent(itemsOperation.actor, { [itemsOperation.action]: each }, { slots: roundsAtOnce })
}

/**
 * Returns the agents of a process with the agent of large lists.
 *
 * @throws TypeError if an agent of the user has its name
 */
export function withItems(agents: readonly Agent[], options: ItemsAgentOptions): readonly Agent[] {
  const { actor } = itemsOperation
  if (agents.some((agent) => definitionOf(agent).name === actor))
    throw new TypeError(`the agent name ${JSON.stringify(actor)} is reserved: choose another name`)
  return [...agents, itemsAgent(options)]
}

/** One round: it is running, and over when `run` resolves. */
class Round {
  private state: ItemsState
  private readonly began: ItemsState
  private readonly watch: ItemWatch

  constructor(
    private readonly options: ItemsAgentOptions & { readonly pace: ItemPace },
    private readonly input: ItemsInput,
    private readonly context: AgentContext,
  ) {
    const { list, atMost } = input
    const problem = listProblem(list, atMost)
    if (problem !== null) context.failPermanently(problem)
    const longest = this.jobIdOf(Math.max(0, list.length - 1))
    if (longest.length > maxIdLength) {
      const rule = `more than ${maxIdLength}: give the job a shorter id`
      context.failPermanently(`the id of the last item would have ${longest.length} characters, ${rule}`)
    }
    this.began = (context.previous as ItemsState | null) ?? noItemsYet(list.length)
    this.state = this.began
    const { clock, pace } = options
    this.watch = new ItemWatch(clock, options, () => pace.usual(input.plan.workflow))
    // An item may have ended between two rounds, so each is read once.
    for (const index of this.began.underWay) this.watch.add(index, this.addressOf(index))
  }

  async run(): Promise<ItemsState> {
    const { clock, othersWait } = this.options
    const { signal, deadline } = this.context
    const beganAtMs = clock.now()
    const endsAtMs = beganAtMs + Math.min(roundMs, (deadline.getTime() - beganAtMs) / 2)
    const isOver = (): boolean => {
      const mostMs = othersWait?.() === true ? shortRoundMs : roundMs
      return clock.now() >= Math.min(endsAtMs, beganAtMs + mostMs)
    }
    try {
      for (;;) {
        await this.submitMore()
        await this.look()
        if (this.state.isOver || isOver()) return this.state
        const { done, failed, of } = this.state
        await this.context.progress({ done: done + failed, of, note: `${failed} failed` })
        // A place that is free already is filled first.
        if (itemsToSubmit(this.state, this.input.atOnce).length === 0) {
          // Other lists may begin to wait at any time, so the round looks for them.
          const sinceMs = clock.now() - beganAtMs < shortRoundMs ? beganAtMs : clock.now()
          await this.watch.rest(Math.min(endsAtMs, sinceMs + shortRoundMs), signal)
        }
        signal.throwIfAborted()
      }
    } catch (error) {
      // What was counted before is kept. A round that has counted nothing fails.
      if (!isTemporary(error) || isDeepStrictEqual(this.state, this.began)) throw error
      return this.state
    } finally {
      this.watch.close()
    }
  }

  private async submitMore(): Promise<void> {
    const indexes = itemsToSubmit(this.state, this.input.atOnce)
    if (indexes.length === 0) return
    const refused = new Map<number, ItemEnd>()
    await this.each(indexes, async (index) => {
      refused.set(index, await this.submit(index))
    })
    this.count(withSubmitted(this.state, indexes), refused)
  }

  /** Counts the ends that were reported, and reads the items whose end may have been missed. */
  private async look(): Promise<void> {
    const { pace } = this.options
    const ends = new Map<number, ItemEnd>()
    for (const [index, job] of this.watch.takeHeard()) {
      pace.note(job.workflow, tookMs(job), true)
      ends.set(index, await this.endOf(job))
    }
    this.count(this.state, ends)
    const read = new Map<number, ItemEnd>()
    await this.each(this.watch.due(), async (index) => {
      read.set(index, await this.readEnd(index))
    })
    this.count(this.state, read)
  }

  private count(state: ItemsState, ends: ReadonlyMap<number, ItemEnd>): void {
    this.state = withEnds(state, ends, this.jobIdOf)
    for (const [index, end] of ends) if (end !== null) this.watch.remove(index)
  }

  private async each(indexes: readonly number[], act: (index: number) => Promise<void>): Promise<void> {
    const results = await inSlices(indexes, requestsAtOnce, act)
    const failed = results.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    this.context.signal.throwIfAborted()
  }

  /** Submits an item. If its job exists already, this changes nothing. */
  private async submit(index: number): Promise<ItemEnd> {
    const { store, payloads, telemetry, beginSubmission, onAccepted } = this.options
    try {
      const request = await payloads.withLargeInput(this.requestOf(index))
      const address = this.addressOf(index)
      // An item may end before its submission is confirmed.
      this.watch.add(index, address)
      const { isNew, accepted } = await ensureSubmitted(store, request, beginSubmission)
      if (isNew) this.watch.isNew(index, address, accepted?.physicalRangeId ?? null)
      if (accepted !== null) onAccepted?.(accepted)
      const { jobId, plan } = request
      telemetry.emit({ type: 'job.submitted', jobId, workflow: plan.workflow, isNew })
      return null
    } catch (error) {
      if (error instanceof SubmissionInvalid || error instanceof JobConflict)
        return { kind: 'failed', message: this.withoutSecrets(index, error.message) }
      if (error instanceof JobUnreadable) return null
      throw error
    }
  }

  private withoutSecrets(index: number, text: string): string {
    const { plan, list } = this.input
    return withoutSecretsOf(plan, list[index] ?? null, text)
  }

  private async readEnd(index: number): Promise<ItemEnd> {
    const { store, pace, clock } = this.options
    try {
      const job = await readableJob(store, this.addressOf(index))
      // It may have acted, so it is not submitted again.
      if (job === null) return { kind: 'failed', message: 'its job does not exist any more' }
      if (isTerminal(job)) pace.note(job.workflow, tookMs(job), false)
      else this.watch.looked(index, job.submittedAtMs)
      return await this.endOf(job)
    } catch (error) {
      // An operator repairs the document, and the job goes on.
      if (!(error instanceof JobUnreadable)) throw error
      this.watch.looked(index, clock.now())
      return null
    }
  }

  private async endOf(job: JobDocument): Promise<ItemEnd> {
    if (!isTerminal(job)) return null
    if (job.processState === 'Processed') return { kind: 'done' }
    const reason = job.attention?.message ?? job.compensation?.reason ?? 'no reason recorded'
    return { kind: 'failed', message: `${job.processState}: ${await this.shown(job, reason)}` }
  }

  /** Hides the secrets of an item in a text that its parent keeps. Only an item with secrets costs a read. */
  private async shown(job: JobDocument, text: string): Promise<string> {
    if (job.secrets === undefined) return text
    return hideDocuments(job, await listSteps(this.options.store, job)).conceal(text)
  }

  private addressOf(index: number): JobAddress {
    const jobId = this.jobIdOf(index)
    return { pk: jobId, id: jobDocumentId(jobId), jobId }
  }

  private readonly jobIdOf = (index: number): string => {
    const { jobId, stepId, idempotencyKey } = this.context
    const generation = /\/g(\d+)\/do(?:\/r\d+)?$/.exec(idempotencyKey)?.[1] ?? '1'
    return [jobId, stepId, ...(generation === '1' ? [] : [`g${generation}`]), index].join('/')
  }

  private requestOf(index: number): SubmitRequest {
    const { plan: given, list, priority, retainForMs, completeWithinMs } = this.input
    const { jobId: parent } = this.context
    const jobId = this.jobIdOf(index)
    const input: Json = list[index] ?? null
    const { plan, problems } = fittedInput(given, input)
    const all = [...submitProblems({ jobId, partitionKey: jobId }), ...problems]
    if (all.length > 0) throw new SubmissionInvalid(all.join('; '))
    return storedPlanRequest({
      plan,
      jobId,
      input,
      priority,
      replyTo: null,
      completeWithinMs,
      retainForMs,
      tags: parent.length <= maxTagLength ? [`parent=${parent}`] : [],
      now: this.options.clock.now(),
    })
  }
}

function tookMs({ submittedAtMs, endedAtMs }: JobDocument): number {
  return Math.max(0, (endedAtMs ?? submittedAtMs) - submittedAtMs)
}

function isTemporary(error: unknown): boolean {
  return error instanceof StoreUnavailable || error instanceof PayloadUnavailable
}
