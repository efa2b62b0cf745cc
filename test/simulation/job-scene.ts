import type { JobDocument } from '../../src/sas/model/documents.js'
import { jobDocumentId, jobIdPrefix } from '../../src/sas/model/document-ids.js'
import { isTerminal } from '../../src/sas/model/process-state.js'
import { triageOf } from '../../src/sas/decisions/operator/triage.js'
import {
  CommandRefused,
  type JobClient,
  type RestartOptions,
  type RestartReport,
} from '../../src/sas/index.js'
import { seededRandom } from '../../src/platform/index.js'
import { Faults, type FaultOptions } from '../../src/testing/faults.js'
import { JobFleet, leaseContainer, roles, stateContainer, type Role } from '../../src/testing/job-fleet.js'
import type { SimulationEvent } from '../../src/testing/events.js'
import type { Computer } from '../../src/testing/simulated-process.js'
import { World } from '../../src/testing/world.js'
import { GateChecker } from './gate-checker.js'
import { PauseChecker } from './pause-checker.js'
import { JobChecker, type JobCounts } from './job-checker.js'
import { orderIdOf } from './job-changes.js'
import { LeaseChecker } from './lease-checker.js'
import { Mailbox } from './mailbox.js'
import { Person } from '../../src/testing/person.js'
import { firstJobId, RemoteServices } from './remote-services.js'
import { RestartChecker } from './restart-checker.js'
import { stepDeadlineMs, type Intervention, type Scenario } from './scenario.js'

export interface Story {
  readonly jobId: string
  readonly scenario: Scenario
  /** When the submission starts. */
  readonly atMs: number
  /**
   * The host whose process also runs the customer's code, beside its roles. Default: a process of its own.
   */
  readonly inside?: Computer
}

export interface Host {
  readonly computer: Computer
  readonly roles: readonly Role[]
}

export interface JobSceneOptions {
  readonly seed: number
  readonly hosts: readonly Host[]
  readonly stories: readonly Story[]
  readonly faults?: Omit<FaultOptions, 'random'>
  /** Physical partitions of the state container. Default 1. */
  readonly partitionCount?: number
  /**
   * Whether each job must end as its scenario says. Default true. Attempts that are lost to many faults lead
   * to other ends.
   */
  readonly areEndsKnown?: boolean
  /** Whether the hosts wake each other. Default false. */
  readonly areWoken?: boolean
}

export interface JobReport extends JobCounts {
  readonly seed: number
  /** A hash of all events, in order. */
  readonly hash: string
  readonly eventCount: number
  readonly simulatedMs: number
  /** The number of jobs that had ended when the faults ended. The others have met fewer faults. */
  readonly endedUnderFaults: number
  /** The broken invariants. Empty when every one held. */
  readonly problems: readonly string[]
  readonly faults: ReadonlyMap<string, number>
}

/** A job with the commands of its operator, in order. */
interface Awaiting {
  readonly jobId: string
  readonly interventions: readonly Intervention[]
}

/**
 * A fifth of the defaults. A takeover is the largest cost of a fault, and every simulated second costs time
 * as well.
 */
const timing = {
  leaseAcquireInterval: 3_400,
  leaseExpirationInterval: 12_000,
} as const
const { leaseAcquireInterval: leaseAcquireIntervalMs, leaseExpirationInterval: leaseExpirationIntervalMs } =
  timing
const sweepIntervalMs = 6_000
const restartAfterMs = 5_000
/** The time after which an operator reacts to a job. */
const lookAfterMs = 1_000
const [slowestPollMs, graceMs, triesMs] = [10_000, 2_000, 10_000] as const
/** The roles renew their leases at half of the expiration. */
const leaseRenewIntervalMs = leaseExpirationIntervalMs / 2
const takeoverMs = leaseExpirationIntervalMs + leaseRenewIntervalMs + 2 * leaseAcquireIntervalMs

/**
 * The longest delay that one fault may cause (I8): the deadline of a step, the restart of a crashed host,
 * finding and taking a dead owner's leases, a sweep, a poll, and the retries of a process without an answer.
 */
export const faultCostMs =
  stepDeadlineMs + graceMs + restartAfterMs + takeoverMs + sweepIntervalMs + slowestPollMs + triesMs

/** One host for each role. */
export const oneHostPerRole: readonly Host[] = roles.map((role) => ({
  computer: { name: `${role}-host`, skewMs: 0, driftPpm: 0 },
  roles: [role],
}))

/** The same hosts, and one with the notifier. */
export const withNotifier: readonly Host[] = [
  ...oneHostPerRole,
  { computer: { name: 'notifier-host', skewMs: 0, driftPpm: 0 }, roles: ['notifier'] },
]

/** Two hosts with every role on each. */
export const twoHosts: readonly Host[] = ['host-0', 'host-1'].map((name) => ({
  computer: { name, skewMs: 0, driftPpm: 0 },
  roles,
}))

/** Jobs on production schedulers, agents and supervisors, with all checkers. */
export class JobScene {
  readonly world: World
  readonly fleet: JobFleet
  readonly faults: Faults
  readonly checker: JobChecker
  readonly services: RemoteServices
  readonly mailbox: Mailbox
  private readonly restartChecker = new RestartChecker()
  private readonly scenarios: ReadonlyMap<string, Scenario>
  private readonly awaited = new Set<string>()
  /** Jobs for which an operator got an alert since the faults ended. */
  private readonly flagged = new Set<string>()
  private endedUnderFaults = 0
  /** By document id, jobs that do not need their operator yet. */
  private readonly watched = new Map<string, Awaiting>()

  constructor(readonly options: JobSceneOptions) {
    const { seed, stories, hosts, partitionCount = 1 } = options
    this.faults = new Faults({ random: seededRandom(seed ^ 0x5eed), ...options.faults })
    this.world = new World({ seed, fateOf: (request) => this.faults.fateOf(request) })
    this.scenarios = new Map(stories.map(({ jobId, scenario }) => [jobId, scenario]))
    this.services = new RemoteServices(this.world, (jobId) => this.scenario(jobId))
    this.mailbox = new Mailbox(this.world)
    this.fleet = new JobFleet(this.world, {
      channel: (process) => this.mailbox.channel(process),
      partitionCount,
      agents: (process) => this.services.agents(process),
      timing,
      sweepIntervalMs,
      areWoken: options.areWoken ?? false,
      rolesOn: (computer) => hosts.find((host) => host.computer === computer)?.roles ?? [],
    })
    this.checker = new JobChecker({
      container: () => this.world.container(stateContainer),
      areRequestsSlow: (options.faults?.rates?.slow ?? 0) > 0,
    })
    // A run ends at its first problem, and a wrong undo after a restart also breaks I6, which says less about it.
    this.world.watch(this.restartChecker)
    this.world.watch(this.checker)
    this.world.watch(new GateChecker())
    this.world.watch(new PauseChecker(() => this.world.time.monotonic()))
    this.world.watch({ check: (event) => this.noticed(event) })
    for (const role of new Set(hosts.flatMap((host) => host.roles))) {
      const now = (): number => this.world.time.now()
      const options = { container: leaseContainer, idPrefix: role, now, leaseExpirationIntervalMs }
      const isKnownToHaveEnded: World['isKnownToHaveEnded'] = (id, by) =>
        this.world.isKnownToHaveEnded(id, by)
      this.world.watch(new LeaseChecker({ ...options, isKnownToHaveEnded }))
    }
  }

  /** Starts every host, submitter and operator. */
  start(): void {
    for (const { computer } of this.options.hosts) this.fleet.start(computer)
    for (const story of this.options.stories) {
      this.awaited.add(story.jobId)
      this.world.time.schedule(story.atMs, () => this.submit(story))
    }
  }

  /** Restarts crashed hosts from now on, as their operator would. */
  keepRunning(): void {
    for (const { computer } of this.options.hosts) {
      if (this.fleet.processOn(computer) === null) this.fleet.start(computer)
    }
    this.world.time.schedule(restartAfterMs, () => this.keepRunning())
  }

  /** Ends all faults. */
  endFaults(): void {
    this.faults.stop()
    this.flagged.clear()
    this.endedUnderFaults = this.checker.endedCount
  }

  /**
   * Advances the time until every job has reached its end, or an invariant is broken. If by then all
   * unfinished jobs are flagged for an operator (I8), calls `mend`, which removes the cause, and restarts the
   * time limit.
   */
  async finish(limitMs: number, mend?: () => void): Promise<JobReport> {
    const { world } = this
    let isOver = await world.runUntil(() => this.isOver, limitMs)
    if (!isOver && mend !== undefined && this.areOthersFlagged) {
      mend()
      isOver = await world.runUntil(() => this.isOver, limitMs + this.longestPauseMs)
    }
    if (world.problems.length === 0) world.problems.push(...this.endProblems(isOver, limitMs))
    return this.report()
  }

  report(): JobReport {
    const { world, faults } = this
    return {
      ...this.checker.counts,
      seed: this.options.seed,
      hash: world.digest(),
      eventCount: world.eventCount,
      simulatedMs: world.time.monotonic(),
      endedUnderFaults: this.endedUnderFaults,
      problems: world.problems,
      faults: faults.counts,
    }
  }

  /** Checks whether some jobs have not ended, and each of them is flagged or has caused an alert. */
  private get areOthersFlagged(): boolean {
    const open = [...this.checker.jobs.values()].filter((job) => !isTerminal(job))
    // During another try, the flag of an extended wait is cleared.
    const isFlagged = ({ jobId, attention }: JobDocument) => attention !== null || this.flagged.has(jobId)
    return open.some(isFlagged) && open.every((job) => isFlagged(job) || this.waitsAtGate(job))
  }

  /** The time until the last step that pauses is offered again. Pauses double while clocks disagree. */
  private get longestPauseMs(): number {
    const steps = [...this.checker.jobs.values()].flatMap((job) => [...this.checker.stepsOf(job).values()])
    const untilMs = Math.max(0, ...steps.map(({ notBeforeMs }) => notBeforeMs ?? 0))
    return Math.max(0, untilMs - this.world.time.now())
  }

  /** Checks whether a job or one of its steps waits for the place of another, which may be that of a flagged job. */
  private waitsAtGate(job: JobDocument): boolean {
    return [job, ...this.checker.stepsOf(job).values()].some(
      ({ place }) => (place?.waitsFor ?? null) !== null,
    )
  }

  private get isOver(): boolean {
    if (this.awaited.size > 0 || !this.mailbox.isQuiet) return false
    return this.checker.haveEnded(this.scenarios.size)
  }

  private endProblems(isOver: boolean, limitMs: number): readonly string[] {
    const jobs = [...this.scenarios].map(([jobId, scenario]) => {
      const job = this.checker.newest(jobId)
      if (job === undefined || !isTerminal(job))
        return `I8: ${jobId} of ${scenario.name} is ${stateOf(job)} after ${limitMs} ms`
      const ends = [scenario.end, ...(scenario.otherEnds ?? [])]
      if (ends.includes(job.processState) || this.options.areEndsKnown === false) return null
      return `job ${jobId} of ${scenario.name} ended ${job.processState}: ${job.attention?.message ?? ''}`
    })
    const broken = jobs.filter((problem) => problem !== null)
    if (broken.length > 0) return broken
    if (!isOver && !this.mailbox.isQuiet) return ['I13: what is stored for submitters is not sent']
    if (!isOver) return [`I8: no alert reported the jobs ${[...this.awaited].join(', ')} to operators`]
    const left = [...this.checker.jobs.values()].flatMap((job) =>
      this.checker.effects.left(job, this.checker.stepsOf(job)),
    )
    return [...left, ...this.restartChecker.left()]
  }

  private scenario(jobId: string): Scenario {
    const scenario = this.scenarios.get(firstJobId(jobId))
    if (scenario === undefined) throw new RangeError(`${jobId} was not submitted`)
    return scenario
  }

  private submit({ jobId, scenario, inside }: Story): void {
    const customer = new Person(this.world, this.fleet, `customer of ${jobId}`, inside ?? null)
    const { completeWithin, interventions = [] } = scenario
    const terms = {
      ...(scenario.isNotified === true ? { replyTo: 'https://shop.example/replies' } : {}),
      ...(completeWithin === undefined ? {} : { completeWithin }),
    }
    const items = ['hotel', 'flight'].map((item) => ({ item }))
    const order = { create: { id: orderIdOf(jobId), type: 'order' } }
    const submit = async (client: JobClient): Promise<void> => {
      await client.submit(scenario.workflow, { jobId, items }, { jobId, alongside: [order], ...terms })
      this.world.record({ type: 'acknowledged', jobId })
    }
    customer.insist(submit, () => {
      if (interventions.length === 0) this.awaited.delete(firstJobId(jobId))
    })
    this.await({ jobId, interventions })
  }

  private await({ jobId: submitted, interventions }: Awaiting): void {
    if (interventions.length === 0) return
    const job = this.checker.newest(submitted)
    const jobId = job?.jobId ?? submitted
    const due = job === undefined ? -1 : dueIn(interventions, job)
    const next = interventions[due]
    // A job that ended before its operator reacted needs no operator.
    if (job !== undefined && isTerminal(job) && next === undefined) this.awaited.delete(firstJobId(jobId))
    else if (next === undefined) this.watched.set(jobDocumentId(jobId), { jobId, interventions })
    else this.intervene({ jobId, interventions: interventions.slice(due) })
  }

  /** Starts the operator who waits for the state that was just written. */
  private noticed(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== stateContainer) return []
    this.noteFlag(event.after?.id ?? '')
    const watched = this.watched.get(event.after?.id ?? '')
    const job = watched === undefined ? undefined : this.checker.jobs.get(watched.jobId)
    if (watched === undefined || job === undefined) return []
    if (!isTerminal(job) && dueIn(watched.interventions, job) < 0) return []
    this.watched.delete(jobDocumentId(watched.jobId))
    this.world.time.schedule(lookAfterMs, () => this.await(watched))
    return []
  }

  private noteFlag(documentId: string): void {
    // The ids of simulated jobs contain no character that is escaped in the id of a document.
    const jobId = documentId.startsWith(jobIdPrefix) ? documentId.slice(jobIdPrefix.length) : ''
    if ((this.checker.jobs.get(jobId)?.attention ?? null) !== null) this.flagged.add(jobId)
  }

  /** Makes the first intervention, and waits for the next. */
  private intervene({ jobId, interventions: [first, ...others] }: Awaiting): void {
    if (first === undefined) return
    const operator = new Person(this.world, this.fleet, `operator of ${jobId}`)
    operator.insist(
      (client) => this.give(client, jobId, first.command),
      () => {
        if (others.length === 0) this.awaited.delete(firstJobId(jobId))
        else this.await({ jobId, interventions: others })
      },
    )
  }

  private async give(client: JobClient, jobId: string, command: Intervention['command']): Promise<void> {
    if (typeof command === 'string' || !('restartFrom' in command)) return give(client, jobId, command)
    const options = { ...about, from: command.restartFrom, after: command.after }
    const first = await restart(client, jobId, options)
    // Another operator gives the same command.
    const again = await restart(client, jobId, options)
    if (again.isNew || again.jobId !== first.jobId)
      this.world.problems.push(`I33: ${jobId} was restarted as ${first.jobId}, and as ${again.jobId}`)
    // A third operator does not know of the restart, and is refused.
    await client.cancel(jobId, about.why, person)
  }
}

/**
 * Restarts a job. If the job changed after a restart in stages was interrupted, the copies are of an old version,
 * and the new job gets another id.
 */
async function restart(client: JobClient, jobId: string, options: RestartOptions): Promise<RestartReport> {
  try {
    return await client.restart(jobId, options)
  } catch (error) {
    const isTaken = error instanceof CommandRefused && error.message.includes('pass another id')
    if (!isTaken) throw error
    return client.restart(jobId, { ...options, as: `${jobId}.r9` })
  }
}

const person = { by: 'operator' }
const about = { ...person, why: 'simulated' }

type PlainCommand = Exclude<Intervention['command'], { readonly restartFrom: string }>

function give(client: JobClient, jobId: string, command: PlainCommand): Promise<void> {
  if (command === 'cancel') return client.cancel(jobId, about.why, person)
  if (command === 'resubmit') return client.resubmit(jobId, about)
  if (command === 'release') return client.release(jobId, about)
  if (command === 'pause') return client.pause(jobId, about.why, person)
  if (command === 'resume') return client.resume(jobId, about)
  if ('edit' in command) {
    const { edit: step } = command
    return client.resubmit(jobId, { ...about, step, input: { item: `${step} edited` } })
  }
  if ('migrateTo' in command) return migrateTwice(client, jobId, command.migrateTo)
  if ('snooze' in command) return snoozeOnce(client, jobId, command.snooze)
  if ('pauseAll' in command) return client.pause(command.pauseAll, about.why, person)
  if ('resumeAll' in command) return client.resume(command.resumeAll, about)
  if ('answerTo' in command) return client.answer(jobId, command.answerTo, true, { by: 'ann' })
  const { raiseEventFor: waiting, key } = command
  if (key === undefined) return client.raiseEvent(jobId, waiting, { item: 'approved' })
  return client.raiseEvent(jobId, waiting, { item: key }, { key })
}

/** Snoozes one flag. An operator who comes back after a crash first looks whether the job has been snoozed. */
async function snoozeOnce(client: JobClient, jobId: string, snooze: string): Promise<void> {
  const view = await (await client.get(jobId))?.view()
  if (view?.audit.some(({ command }) => command === 'triage') === true) return
  await client.triage(jobId, { snooze, ...person, assignee: 'ann' })
}

/** Repeats the command, as an operator who missed the answer. The new plan is not written again. */
async function migrateTwice(client: JobClient, jobId: string, workflow: Scenario['workflow']): Promise<void> {
  await client.migrate(jobId, workflow, about)
  await client.migrate(jobId, workflow, about)
}

/** Returns the index of the first intervention that is due, or -1. */
function dueIn(interventions: readonly Intervention[], job: JobDocument): number {
  return interventions.findIndex((intervention, index) => calls(intervention, job, index === 0))
}

function calls({ when }: Intervention, job: JobDocument, isNext: boolean): boolean {
  if (when === 'then') return isNext
  if (when === 'isAtRest') return isAtRest(job)
  if (when === 'isAtRestOrOver') return isAtRest(job) || isTerminal(job)
  if ('state' in when) return job.processState === when.state
  if ('isDone' in when) return job.steps[when.isDone]?.state === 'Processed'
  if ('isBegun' in when) return job.steps[when.isBegun]?.state === 'Processing'
  if ('isFlagged' in when) return job.attention?.kind === when.isFlagged
  return job.attention?.kind === when.isAwake && (triageOf(job) === null || isOnlyStep(job))
}

/** Checks whether the flagged step alone is under way. Under faults, the other step of a story may never be flagged. */
function isOnlyStep({ steps, attention }: JobDocument): boolean {
  const underWay = Object.entries(steps).filter(([, { state }]) => state === 'Processing')
  return underWay.every(([stepId]) => stepId === attention?.stepId)
}

function stateOf(job: JobDocument | undefined): string {
  if (job === undefined) return 'not stored'
  const steps = Object.entries(job.steps).map(([stepId, { state }]) => `${stepId} ${state}`)
  const flag = job.attention === null ? '' : `, flagged ${job.attention.kind}: ${job.attention.message}`
  return `${job.processState} (${steps.join(', ')})${flag}`
}

function isAtRest({ paused, lockedBy, completeByMs }: JobDocument): boolean {
  return Boolean(paused) && lockedBy !== null && completeByMs === null
}
