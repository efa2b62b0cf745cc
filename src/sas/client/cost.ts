/**
 * What jobs and idle units cost, from formulas. Prices are the points that Microsoft publishes (a read of 1 KB is 1
 * request unit, an insert about 5.5, a replace twice that, a query at least 2.5 per physical partition) and a straight
 * line between them; what is counted are the writes of scheduler, agents and submission as they are. The embedded
 * store charges by the same points, and a test holds the two together.
 */

/** What is to be paid for. */
export interface CostQuestion {
  /** Steps of a job, one after another. */
  readonly steps: number
  /** Steps whose attempts are claimed before they begin. */
  readonly claimedSteps: number
  /** Mean size of a job's documents as they are stored, in kilobytes of 1,024 bytes. */
  readonly documentKilobytes: number
  /** What the containers index: what is asked for, or everything. */
  readonly indexing: 'lean' | 'full'
  /** Whether scheduler and agents run in one process, and so go on without the feed. */
  readonly isTogether: boolean
  /** Physical partitions of the state container. */
  readonly partitions: number
  /** Instances of each role. */
  readonly instances: number
  /** Whether the role notifier runs, too. */
  readonly hasNotifier: boolean
}

/** One job from its submission to its end, without faults. */
export interface JobCost {
  /** Requests that write to the state container. */
  readonly writeRequests: number
  /** Request units of those. */
  readonly writeCharge: number
  /**
   * Request units of reading the changes, at most: when every unit reads every version. What changes again before it
   * is read is read once, so that a busy system pays less.
   */
  readonly feedCharge: number
}

/** Request units per second of units that have nothing to do, with default intervals. */
export interface IdleCost {
  readonly polls: number
  readonly renewals: number
  readonly looksAtLeases: number
  readonly sweeps: number
}

/** A lease document is smaller than the smallest size that is charged. */
const leaseKilobytes = 1
/** Request units. */
const [insertOfOneKilobyte, queryOfOnePartition, emptyPoll, pointRead] = [5.5, 2.5, 1, 1]
const growthPerKilobyte = 0.0909
const indexingFactor = { lean: 1.15, full: 1.8 } as const
/** Defaults, in seconds. */
const [renewSeconds, acquireSeconds] = [13, 17]
/** Each role reads the feed by its own leases. Sweeps ask for overdue documents, unclaimed work and unsent notices. */
const working = [
  { pollSeconds: 5, queriesPerSecond: 0 },
  { pollSeconds: 5, queriesPerSecond: 0 },
  { pollSeconds: 10, queriesPerSecond: 2 / 30 },
]
const notifier = { pollSeconds: 10, queriesPerSecond: 2 / 60 }
/** A balancer waits up to a tenth less, by chance. */
const meanAcquireSeconds = acquireSeconds * 0.95

/** What one such job costs. */
export function jobCost(question: CostQuestion): JobCost {
  const { steps, claimedSteps, documentKilobytes, isTogether } = question
  const creates = steps + 1
  // The job: claimed with the first dispatch, at each following dispatch, at the end. A step: dispatch and outcome.
  const replaces = steps + 1 + 2 * steps + claimedSteps
  // Submission and first dispatch; then each outcome carries what follows, or each step needs outcome and reaction.
  const writeRequests = 2 + (isTogether ? steps : 2 * steps) + claimedSteps
  const versions = creates + replaces
  return {
    writeRequests,
    writeCharge: (creates + 2 * replaces) * insert(documentKilobytes, question),
    feedCharge: rolesOf(question).length * versions * documentKilobytes,
  }
}

/** What the units of this question cost while no job is there. */
export function idleCost(question: CostQuestion): IdleCost {
  const { partitions, instances } = question
  const roles = rolesOf(question)
  const look = pointRead + queryOfOnePartition + growthPerKilobyte * partitions * leaseKilobytes
  // An instance that has all leases looks at them every other time.
  const looksPerSecond = instances / meanAcquireSeconds / (instances === 1 ? 2 : 1)
  return {
    polls: roles.reduce((sum, { pollSeconds }) => sum + (partitions * emptyPoll) / pollSeconds, 0),
    renewals: (roles.length * partitions * 2 * insert(leaseKilobytes, question)) / renewSeconds,
    looksAtLeases: roles.length * looksPerSecond * look,
    sweeps: roles.reduce((sum, role) => sum + role.queriesPerSecond * queryOfOnePartition * partitions, 0),
  }
}

/** The request units of a question that has nothing to do, per second. */
export function idleCharge({ polls, renewals, looksAtLeases, sweeps }: IdleCost): number {
  return polls + renewals + looksAtLeases + sweeps
}

function rolesOf({ hasNotifier }: CostQuestion) {
  return hasNotifier ? [...working, notifier] : working
}

function insert(kilobytes: number, { indexing }: CostQuestion): number {
  const size = 1 + growthPerKilobyte * (Math.max(1, kilobytes) - 1)
  return insertOfOneKilobyte * size * indexingFactor[indexing]
}
