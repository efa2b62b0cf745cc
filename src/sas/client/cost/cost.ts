/**
 * Computes the cost of jobs and of idle instances from prices that Microsoft publishes. A read of 1 KB costs
 * 1 request unit, an insert about 5.5, and a replace twice as much as an insert. A query costs at least 2.5
 * per physical partition. Between the published sizes, prices lie on a straight line. The counts are the
 * actual writes of the scheduler, the agents and the submission. The embedded store charges the same prices,
 * and a test compares its charges with these formulas.
 */
import { maxOpenTicks } from '../../schedules/open-ticks.js'
import { beginsAtOnce, placesOfSteps, plannedKilobytes } from './places-of-steps.js'
import type { CostQuestion } from './question.js'

export type { CostQuestion, JobShape } from './question.js'

/** The cost of one job from its submission to its end, without faults. */
export interface JobCost {
  /** The number of requests that write to the state container. */
  readonly writeRequests: number
  /** The request units of the writes. */
  readonly writeCharge: number
  /**
   * The upper limit of the request units for reading the changes. The formula assumes that every process
   * reads every version. The roles of a process share what they read. A busy system pays less, because a
   * document is read once for several changes in a row.
   */
  readonly feedCharge: number
  /** The request units of other reads. */
  readonly readCharge: number
}

/** The request units per second that idle instances use, with the default intervals. */
export interface IdleCost {
  readonly polls: number
  readonly renewals: number
  readonly looksAtLeases: number
  readonly sweeps: number
  /** The reads of the pauses of workflows and agents, by each scheduler. */
  readonly pauses: number
}

/** The size of a job or step with small values, in kilobytes. All commands assume it if they are told no other. */
export const usualDocumentKilobytes = 1.1
/** The reads with which a large list counts the end of an item. Items that take longer are read more often. */
const readsOfItem = 3
/**
 * The replaces of a round after the first one. If the roles share a process, the outcome of a round and the next
 * dispatch are one version of the step. A pause takes three more: the wait, and the end of the wait.
 */
const replacesOfRound = { together: 2, apart: 3, pause: 3 } as const
/** The size for which a lease document is charged. The document itself is smaller. */
const leaseKilobytes = 1
/** The sizes of the first attempt of a step in the job, and of its success. */
const [attemptKilobytes, successKilobytes] = [0.2, 0.1]
/** The size of a schedule without rows of missed ticks. */
const scheduleKilobytes = 1
/** The size of a limit with a few steps at work and no long list of groups. */
const limitKilobytes = 1
/** Prices in request units. */
const [insertOfOneKilobyte, queryOfOnePartition, emptyPoll, pointRead] = [5.5, 2.5, 1, 1]
const growthPerKilobyte = 0.0909
/** The part of an insert that each indexed value adds, and the largest multiple, which an index of everything has. */
const [growthPerIndexedValue, factorOfFullIndex] = [0.015, 1.8]
/**
 * The values that the lean indexes have of a document, with `id` and `_ts`, which the service always indexes. A job with
 * tags has more.
 */
const indexedValues = { jobOrStep: 10, schedule: 5, limit: 4, lease: 2 } as const
/** The default intervals, in seconds. */
const [renewSeconds, acquireSeconds, readPausesSeconds] = [30, 17, 15]
/**
 * Each role has its own leases. The sweeps query the store for overdue documents, unclaimed work and unsent
 * notices.
 */
const working = [
  { role: 'scheduler', pollSeconds: 5, queriesPerSecond: 0 },
  { role: 'agents', pollSeconds: 5, queriesPerSecond: 0 },
  { role: 'supervisor', pollSeconds: 10, queriesPerSecond: 2 / 30 },
] as const
const notifier = { role: 'notifier', pollSeconds: 10, queriesPerSecond: 2 / 60 } as const
/**
 * The mean is shorter than the interval, because each wait is shortened by a random amount of up to a tenth.
 */
const meanAcquireSeconds = acquireSeconds * 0.95

export function jobCost(question: CostQuestion): JobCost {
  const { steps, claimedSteps, limits = 0, documentKilobytes, isTogether, isItem = false } = question
  const isBegun = beginsAtOnce(question)
  const { plans, inJob, done, isFirstInJob, laterDispatches } = placesOfSteps(question)
  const creates = steps - done + 1
  // The job is written with each dispatch and at its end. Its claim is part of the first dispatch. If the first attempt of a
  // step begins in the job, its success stays there, or its outcome creates the step. Otherwise the step is created before, and
  // written with its outcome, and once more if its attempt is claimed.
  const outcomes = steps - inJob
  const replaces =
    steps + 1 + outcomes + claimedSteps - (isBegun ? 1 : 0) + laterDispatches + furtherReplaces(question)
  const { rounds = 0, pausedRounds = 0 } = question
  // The submission and the first dispatch are one or two requests. In one process, each outcome is written together
  // with the next dispatch. Otherwise each step needs two requests.
  const ofSteps = (isBegun ? 1 : 2) + (isTogether ? steps : 2 * steps) + claimedSteps
  const ofRounds = (isTogether ? 1 : 2) * (rounds + pausedRounds) + 2 * pausedRounds
  const versions = creates + replaces
  // The versions of the job contain the plans of fewer and fewer steps, and the attempts of more and more that are done.
  const ofDone = ((plannedKilobytes + attemptKilobytes + successKilobytes) * done * (done + 1)) / 2
  const ofPlans = (plannedKilobytes * plans * (plans + 1)) / 2 + ofDone
  // A replace counts twice, because it costs twice as much as a create.
  const attempts = attemptKilobytes * (2 * inJob - (isFirstInJob ? 1 : 0))
  const inWrites = plannedKilobytes * plans * plans + attempts + 2 * ofDone
  const planned = inWrites * growthPerKilobyte * insert(1, question)
  return {
    writeRequests: ofSteps + ofRounds + 2 * limits,
    writeCharge:
      (creates + 2 * replaces) * insert(documentKilobytes, question) + planned + limits * limitCost(question),
    feedCharge: (isTogether ? 1 : rolesOf(question).length) * (versions * documentKilobytes + ofPlans),
    readCharge: isItem ? readsOfItem * pointRead : 0,
  }
}

/** Returns all request units of a job. Every page and command that shows the price of a job uses this sum. */
export function jobCharge(question: CostQuestion): number {
  const { writeCharge, feedCharge, readCharge } = jobCost(question)
  return writeCharge + feedCharge + readCharge
}

/** Returns the replaces for further rounds and for the expiry of steps. */
function furtherReplaces(question: CostQuestion): number {
  const { steps, rounds = 0, pausedRounds = 0, isRetained = false, isTogether } = question
  const { done } = placesOfSteps(question)
  const each = isTogether ? replacesOfRound.together : replacesOfRound.apart
  // In one process, the outcome of the last step is part of the write that ends the job.
  const expiring = isRetained ? steps - done - (isTogether && done === 0 ? 1 : 0) : 0
  return each * (rounds + pausedRounds) + replacesOfRound.pause * pausedRounds + expiring
}

/**
 * Returns the request units of the writes of a document that is created once and replaced several times, with the
 * indexing that `provision` creates.
 */
export function documentCost(bytes: number, replaces: number): number {
  return (1 + 2 * replaces) * insert(bytes / 1_024, { indexing: 'lean' })
}

/**
 * Returns the request units of a tick of a schedule, besides the submission of its job: reads of the schedule,
 * of its plan and of the previous run, and its share of a replace of the schedule, which counts several ticks.
 */
export function tickCost(question: Pick<CostQuestion, 'indexing'>): number {
  return (2 * insert(scheduleKilobytes, question, 'schedule')) / maxOpenTicks + 3 * pointRead
}

/**
 * Returns the request units of a limit for one step or job that has room: two replaces of the limit, when it enters
 * and when it leaves.
 */
export function limitCost(question: Pick<CostQuestion, 'indexing'>): number {
  return 2 * 2 * insert(limitKilobytes, question, 'limit')
}

export function idleCost(question: CostQuestion): IdleCost {
  const idle = rolesOf(question).map((role) => idleCostOf(role, question))
  const sum = (what: keyof IdleCost): number => idle.reduce((total, each) => total + each[what], 0)
  return {
    polls: sum('polls'),
    renewals: sum('renewals'),
    looksAtLeases: sum('looksAtLeases'),
    sweeps: sum('sweeps'),
    pauses: sum('pauses'),
  }
}

/** The part of a role, or of the programs that submit jobs, in the cost of jobs and of idle instances. */
export interface RoleCost {
  readonly role: 'submitters' | ReturnType<typeof rolesOf>[number]['role']
  /** The request units of the writes of one job, and of the reads with which a list counts it. */
  readonly writeCharge: number
  /** The upper limit of the request units for reading the changes of one job. */
  readonly feedCharge: number
  readonly idle: IdleCost
}

/**
 * Divides the cost of a job and of idle instances by role. Submitters create the job, perhaps with steps. Agents write
 * claims and outcomes, and read the items of lists. Supervisors end the pauses of rounds. Schedulers write the rest. If
 * roles share the feed, each of them pays an equal part.
 */
export function costByRole(question: CostQuestion): readonly RoleCost[] {
  const { steps, claimedSteps, rounds = 0, pausedRounds = 0, documentKilobytes } = question
  const { plans, inJob, done } = placesOfSteps(question)
  const { writeCharge, feedCharge, readCharge } = jobCost(question)
  const one = insert(documentKilobytes, question)
  const submitting = (1 + steps - plans) * one
  const acting = (inJob - done + 2 * (steps - inJob + claimedSteps + rounds + pausedRounds)) * one
  const supervising = 2 * pausedRounds * one
  const noIdle: IdleCost = { polls: 0, renewals: 0, looksAtLeases: 0, sweeps: 0, pauses: 0 }
  const roles = rolesOf(question)
  const writes = {
    scheduler: writeCharge - submitting - acting - supervising,
    agents: acting + readCharge,
    supervisor: supervising,
    notifier: 0,
  }
  return [
    { role: 'submitters', writeCharge: submitting, feedCharge: 0, idle: noIdle },
    ...roles.map((each) => ({
      role: each.role,
      writeCharge: writes[each.role],
      feedCharge: feedCharge / roles.length,
      idle: idleCostOf(each, question),
    })),
  ]
}

function idleCostOf(
  { role, pollSeconds, queriesPerSecond }: ReturnType<typeof rolesOf>[number],
  question: CostQuestion,
): IdleCost {
  const { partitions, instances, isTogether } = question
  const look = pointRead + queryOfOnePartition + growthPerKilobyte * partitions * leaseKilobytes
  // An instance that owns all leases checks them in every fourth interval.
  const looksPerSecond = instances / meanAcquireSeconds / (instances === 1 ? 4 : 1)
  const roles = rolesOf(question)
  // In one process, a poll of one role serves the others too. Each role pays an equal part.
  const pollsPerSecond = isTogether
    ? 1 / Math.min(...roles.map((each) => each.pollSeconds)) / roles.length
    : 1 / pollSeconds
  return {
    polls: partitions * emptyPoll * pollsPerSecond,
    renewals: (partitions * 2 * insert(leaseKilobytes, question, 'lease')) / renewSeconds,
    looksAtLeases: looksPerSecond * look,
    sweeps: queriesPerSecond * queryOfOnePartition * partitions,
    pauses: role === 'scheduler' ? (instances * pointRead) / readPausesSeconds : 0,
  }
}

/** Returns the total request units per second that idle instances use. */
export function idleCharge({ polls, renewals, looksAtLeases, sweeps, pauses }: IdleCost): number {
  return polls + renewals + looksAtLeases + sweeps + pauses
}

function rolesOf({ hasNotifier }: CostQuestion) {
  return hasNotifier ? [...working, notifier] : working
}

function insert(
  kilobytes: number,
  { indexing }: Pick<CostQuestion, 'indexing'>,
  kind: keyof typeof indexedValues = 'jobOrStep',
): number {
  const size = 1 + growthPerKilobyte * (Math.max(1, kilobytes) - 1)
  const factor = indexing === 'full' ? factorOfFullIndex : 1 + growthPerIndexedValue * indexedValues[kind]
  return insertOfOneKilobyte * size * factor
}
