import type { Clock, Duration } from '../../platform/index.js'
import { durationMs } from '../../platform/internal.js'
import { duration, kind, optional, readOptions, text } from '../../platform/options.js'
import type { JobDocument, Planned } from '../../sas/internal.js'
import { jobDocumentId } from '../../sas/model/document-ids.js'
import { isTerminal } from '../../sas/model/process-state.js'
import type { Agent, JobClient, ProcessState, Workflow } from '../../sas/index.js'
import type { Place } from '../fault-place.js'
import type { PlannedFault } from '../faults.js'
import { stateContainer, type JobFleet } from '../job-fleet.js'
import { Person } from '../person.js'
import type { World } from '../world.js'
import { Answers, assertAnswer, type StoryAnswer } from './answers.js'
import type { IdleTime } from './idle-time.js'
import { refuseMissing } from './missing-agents.js'
import { Stage } from './stage.js'

/** A job that has ended, with its final state. */
export interface EndedJob {
  readonly jobId: string
  readonly state: ProcessState
  /** The message for the job's operator; null if the job is not flagged. */
  readonly message: string | null
}

/** Your agents, and your check of the simulated services that they call. */
export interface StorySetup {
  readonly agents: readonly Agent[]
  /** Returns the problems in these services after the job has ended, one sentence each. Default: none. */
  readonly check?: (job: EndedJob) => readonly string[]
}

/** An event that is raised in every story. */
export interface StoryEvent {
  /** The id of the step that waits for the event. */
  readonly step: string
  /** The data of the event. Default null. */
  readonly payload?: unknown
  /** The key of the event, if the step collects events. Default: its place in the list of events. */
  readonly key?: string
  /** The time between the submission and the event. The event may come before the step begins. Default 0. */
  readonly after?: Duration
}

/** A workflow, its input, and the setup of its stories. */
export interface WorkflowUnderTest<I> {
  readonly workflow: Workflow<I>
  readonly input: I
  /**
   * Returns the agents and the check of one story. The function is called for every story, so that no story
   * sees effects of another. All code that waits must use this clock.
   */
  readonly setup: (clock: Clock) => StorySetup
  /**
   * The events for the waiting steps. A waiting step without an event reaches its deadline. Default: none.
   */
  readonly events?: readonly StoryEvent[]
  /** The answers to questions. A question without an answer expires. Default: none. */
  readonly answers?: readonly StoryAnswer[]
}

export interface Told {
  readonly end: ProcessState | null
  readonly places: readonly Place[]
  readonly problems: readonly string[]
}

const [jobId, recoveryMs, waitMs] = ['job', 180_000, 120_000] as const

/**
 * Runs one job of the workflow with these faults, from its submission to its end, on one host for each role.
 */
export async function tellStory<I>(
  { workflow, input, setup, events = [], answers = [] }: WorkflowUnderTest<I>,
  planned: readonly PlannedFault[],
): Promise<Told> {
  for (const event of events) assertEvent(workflow, event)
  for (const answer of answers) assertAnswer(workflow, answer)
  const places: Place[] = []
  const stage = new Stage(planned, places)
  const { world, idle } = stage
  const { agents, check } = setup(world.time)
  refuseMissing('simulateWorkflow', workflow, agents)
  const fleet = stage.open(agents)
  const partitionKey = workflow.submission.partitionKey?.(input) ?? jobId
  const asked = new Answers({ world, fleet, idle }, { jobId, partitionKey }, answers)
  stage.keepRunning(fleet, () => {
    asked.look()
    idle.pass()
  })
  const submit = async (client: JobClient): Promise<void> => {
    await client.submit(workflow, input, { jobId })
  }
  new Person(world, fleet, 'customer').insist(submit, () => {
    for (const event of keyed(workflow, events)) raise(world, { fleet, idle, partitionKey }, event)
  })
  const limitMs = longestMs(workflow) + (1 + planned.length) * recoveryMs
  await world.runUntil(() => endedJob(world, partitionKey) !== null, limitMs)
  const job = endedJob(world, partitionKey)
  const problems = [...world.problems, ...asked.problems]
  if (job !== null) return { end: job.state, places, problems: [...problems, ...(check?.(job) ?? [])] }
  const stuck = `the job has not ended after ${Math.round(limitMs / 1_000)} s`
  return { end: null, places, problems: [...problems, stuck] }
}

const eventShape = {
  step: text(),
  payload: kind('anything', () => true),
  key: text().optional(),
  after: optional(duration(0), 0),
}

function assertEvent(workflow: Planned, event: StoryEvent): void {
  const { values, problems } = readOptions(eventShape, event)
  if (problems.length > 0) throw new RangeError(problems.join('; '))
  assertWaits(workflow, values.step)
}

/** @throws RangeError if the step does not wait for an event */
export function assertWaits({ plan }: Planned, stepId: string): void {
  const waiting = plan.steps.flatMap(({ id, kind, question }) =>
    kind === 'waitFor' && question === undefined ? [id] : [],
  )
  if (waiting.includes(stepId)) return
  const those = waiting.length === 0 ? 'none does' : `those that do: ${waiting.join(', ')}`
  throw new RangeError(`step ${JSON.stringify(stepId)} does not wait for an event; ${those}`)
}

/** Returns the events with the keys that steps which collect events need. */
function keyed({ plan }: Planned, events: readonly StoryEvent[]): readonly StoryEvent[] {
  const collecting = new Set(plan.steps.filter(({ count }) => count !== undefined).map(({ id }) => id))
  return events.map((event, index) => ({
    ...event,
    ...(collecting.has(event.step) && { key: event.key ?? `event-${index + 1}` }),
  }))
}

/** Raises an event, and repeats this until the event is stored or the step no longer waits. */
function raise(
  world: World,
  {
    fleet,
    idle,
    partitionKey,
  }: { readonly fleet: JobFleet; readonly idle: IdleTime; readonly partitionKey: string },
  { step, payload = null, key, after = 0 }: StoryEvent,
): void {
  const options = { partitionKey, ...(key !== undefined && { key }) }
  const task = (client: JobClient): Promise<void> => client.raiseEvent(jobId, step, payload, options)
  const sender = new Person(world, fleet, `sender of the event for ${step}`)
  idle.at(world.time.now() + (durationMs(after) ?? 0), () => sender.insist(task, () => undefined))
}

/** The rounds of a repeated step for which the job may take longer. */
const mostRounds = 200

/**
 * Returns the longest time that the job may take. It takes this time if every attempt of every step and undo
 * fails at its deadline. Hours in which the job only sleeps or waits are skipped and do not count.
 */
function longestMs({ plan }: Planned): number {
  return plan.steps.reduce((sum, step) => {
    const isIdle = step.kind === 'sleep' || step.kind === 'waitFor'
    if (isIdle) return sum + waitMs
    const attemptsMs = 2 * step.maxFailures * step.completeWithinMs
    const { atMost = 0, everyMs = 0 } = step.repeat ?? {}
    const pauseMs = everyMs > 0 ? waitMs : 0
    return sum + attemptsMs + Math.min(atMost, mostRounds) * (step.completeWithinMs + pauseMs)
  }, 0)
}

function endedJob(world: World, partitionKey: string): EndedJob | null {
  const stored = world.container(stateContainer).find([partitionKey], jobDocumentId(jobId))
  const job = stored?.document as JobDocument | undefined
  if (job === undefined || !isTerminal(job)) return null
  return { jobId, state: job.processState, message: job.attention?.message ?? null }
}
