/** Intervals of a run in milliseconds: in the same proportions as the defaults, but short enough for a run of seconds. */
export const intervals = {
  leaseAcquireIntervalMs: 700,
  leaseRenewIntervalMs: 900,
  leaseExpirationIntervalMs: 3_000,
  checkpointIntervalMs: 150,
  pollIntervalMs: { min: 20, max: 250 },
  stopTimeoutMs: 2_000,
}

/** How long after a deadline the supervisor acts. */
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
  /** Kinds of jobs to submit; empty for a choice by the seed. */
  readonly kinds: readonly string[]
  readonly jobs: number
}

/** The setup that a member gets in addition. */
export interface MemberSetup extends Setup {
  readonly name: string
  readonly roles: readonly ('scheduler' | 'agents' | 'supervisor' | 'notifier')[]
}

/** The names of databases and containers in a run. */
export const names = {
  database: 'judged',
  state: 'state',
  leases: 'leases',
  orders: 'orders',
  replies: 'replies',
} as const

/** The setup from the process that started this one. */
export function toldSetup(): MemberSetup {
  return JSON.parse(process.env['JUDGE_SETUP'] ?? '{}') as MemberSetup
}
