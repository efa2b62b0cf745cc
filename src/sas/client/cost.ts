/**
 * Computes what jobs and idle units cost, from formulas. Prices are the points that Microsoft publishes: a
 * read of 1 KB costs 1 request unit, an insert about 5.5, a replace twice that, a query at least 2.5 per
 * physical partition. Between the points a straight line is used. The counts are the actual writes of
 * scheduler, agents and submission. The embedded store charges by the same points, and a test compares the
 * two.
 */

/** The jobs and units to compute the cost of. */
export interface CostQuestion {
  /** How many steps a job has, one after another. */
  readonly steps: number
  /** How many of its steps have attempts that are claimed before they begin. */
  readonly claimedSteps: number
  /** Mean size of a job's documents as they are stored, in kilobytes of 1,024 bytes. */
  readonly documentKilobytes: number
  /** What the containers index: only what queries need (`lean`), or everything (`full`). */
  readonly indexing: 'lean' | 'full'
  /** Whether scheduler and agents run in one process, and so pass steps on without the feed. */
  readonly isTogether: boolean
  /** How many physical partitions the state container has. */
  readonly partitions: number
  /** How many instances each role has. */
  readonly instances: number
  /** Whether the notifier also runs. */
  readonly hasNotifier: boolean
}

/** The cost of one job from its submission to its end, without faults. */
export interface JobCost {
  /** How many requests write to the state container. */
  readonly writeRequests: number
  /** Request units of the writes. */
  readonly writeCharge: number
  /**
   * The upper limit of the request units for reading the changes, as if every unit read every version. A
   * document that changes again before it is read is read only once, so a busy system pays less.
   */
  readonly feedCharge: number
}

/** Request units per second of idle units, with default intervals. */
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
/**
 * Each role reads the feed with its own leases. Sweeps query overdue documents, unclaimed work and unsent
 * notices.
 */
const working = [
  { pollSeconds: 5, queriesPerSecond: 0 },
  { pollSeconds: 5, queriesPerSecond: 0 },
  { pollSeconds: 10, queriesPerSecond: 2 / 30 },
]
const notifier = { pollSeconds: 10, queriesPerSecond: 2 / 60 }
/** The load balancer waits up to a tenth less, at random. */
const meanAcquireSeconds = acquireSeconds * 0.95

/** Returns the cost of one such job. */
export function jobCost(question: CostQuestion): JobCost {
  const { steps, claimedSteps, documentKilobytes, isTogether } = question
  const creates = steps + 1
  // The job is written with the first dispatch, which claims it, with each following dispatch, and at the
  // end. A step is written with its dispatch and its outcome.
  const replaces = steps + 1 + 2 * steps + claimedSteps
  // Submission and first dispatch are two requests. Together, each outcome carries what follows; otherwise
  // each step needs two requests.
  const writeRequests = 2 + (isTogether ? steps : 2 * steps) + claimedSteps
  const versions = creates + replaces
  return {
    writeRequests,
    writeCharge: (creates + 2 * replaces) * insert(documentKilobytes, question),
    feedCharge: rolesOf(question).length * versions * documentKilobytes,
  }
}

/** Returns the cost of the units while there is no job. */
export function idleCost(question: CostQuestion): IdleCost {
  const { partitions, instances } = question
  const roles = rolesOf(question)
  const look = pointRead + queryOfOnePartition + growthPerKilobyte * partitions * leaseKilobytes
  // An instance that owns all leases skips every other look.
  const looksPerSecond = instances / meanAcquireSeconds / (instances === 1 ? 2 : 1)
  return {
    polls: roles.reduce((sum, { pollSeconds }) => sum + (partitions * emptyPoll) / pollSeconds, 0),
    renewals: (roles.length * partitions * 2 * insert(leaseKilobytes, question)) / renewSeconds,
    looksAtLeases: roles.length * looksPerSecond * look,
    sweeps: roles.reduce((sum, role) => sum + role.queriesPerSecond * queryOfOnePartition * partitions, 0),
  }
}

/** Returns the total request units of idle units, per second. */
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
