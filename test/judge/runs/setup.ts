/**
 * Intervals of a run in milliseconds. They have the proportions of the defaults, but are short enough for a
 * run of seconds.
 */
export const intervals = {
  leaseAcquireInterval: 700,
  leaseRenewInterval: 900,
  leaseExpirationInterval: 3_000,
  checkpointInterval: 150,
  pollInterval: { min: 20, max: 250 },
  stopTimeout: 2_000,
}

/** How long after a deadline the supervisor waits before it acts. */
export const graceMs = 200

/** The default deadline of a step. */
export const completeWithinMs = 2_000

/** The setup that every process of a run gets. */
export interface Setup {
  readonly history: string
  readonly endpoint: string
  readonly key: string
  readonly remote: string
  readonly seed: number
  /** Kinds of jobs to submit. If empty, the seed chooses. */
  readonly kinds: readonly string[]
  readonly jobs: number
  /** The ids of the schedules. If empty, the seed chooses. */
  readonly schedules: readonly string[]
}

/** The additional setup of a member. */
export interface MemberSetup extends Setup {
  readonly name: string
  readonly roles: readonly ('scheduler' | 'agents' | 'supervisor' | 'notifier')[]
}

/** The names of the database, of the containers and of limits in a run. */
export const names = {
  database: 'judged',
  state: 'state',
  leases: 'leases',
  orders: 'orders',
  replies: 'replies',
  /** The key of a limit that many steps share. */
  limit: 'bank',
  /** The key of a limit that many jobs share. */
  limitOfJobs: 'shop',
  /** The key of a limit with a rate. */
  rate: 'post',
} as const

/** Returns the setup that the parent process passed to this one. */
export function toldSetup(): MemberSetup {
  return JSON.parse(process.env['JUDGE_SETUP'] ?? '{}') as MemberSetup
}
