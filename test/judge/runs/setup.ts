/** Intervals of a run, in milliseconds: the relations of the defaults, short enough for a run of seconds. */
export const intervals = {
  leaseAcquireIntervalMs: 700,
  leaseRenewIntervalMs: 900,
  leaseExpirationIntervalMs: 3_000,
  checkpointIntervalMs: 150,
  pollIntervalMs: { min: 20, max: 250 },
  stopTimeoutMs: 2_000,
}

/** How long after a deadline it is acted upon. */
export const graceMs = 200

/** The default deadline of a step. */
export const completeWithinMs = 2_000

/** What every process of a run is told. */
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

/** What a member of the unit is told beside that. */
export interface MemberSetup extends Setup {
  readonly name: string
  readonly roles: readonly ('scheduler' | 'agents' | 'supervisor' | 'notifier')[]
}

/** Names of what a run makes in the store. */
export const names = {
  database: 'judged',
  state: 'state',
  leases: 'leases',
  orders: 'orders',
  replies: 'replies',
} as const

/** What this process was told by the one that started it. */
export function toldSetup(): MemberSetup {
  return JSON.parse(process.env['JUDGE_SETUP'] ?? '{}') as MemberSetup
}
