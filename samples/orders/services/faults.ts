import type { Random } from 'stepward/testing'
import { randomFor } from './per-key.js'

export const faultKinds = ['slow', 'unavailable', 'hangBeforeWork', 'hangAfterWork', 'dropAfterWork'] as const

/**
 * The effect of each fault:
 *
 * - `slow`: answers after 50–300 ms.
 * - `unavailable`: answers 503; nothing was done.
 * - `hangBeforeWork`: never answers; nothing was done.
 * - `hangAfterWork`: does the work, but never answers.
 * - `dropAfterWork`: does the work, then cuts the connection instead of answering.
 */
export type FaultKind = (typeof faultKinds)[number]

/**
 * For each kind of fault, the share of idempotency keys whose first fault is of this kind: 0 to 1, and at
 * most 1 in total.
 */
export type FaultShares = Readonly<Partial<Record<FaultKind, number>>>

export interface FaultOptions {
  readonly shares: FaultShares
  /** The largest number of requests with one key that meet a fault. Later requests meet none. Default 2. */
  readonly maxFaultsPerKey?: number
}

const some: FaultShares = {
  slow: 0.05,
  unavailable: 0.04,
  hangBeforeWork: 0.01,
  hangAfterWork: 0.02,
  dropAfterWork: 0.03,
}

const many: FaultShares = {
  slow: 0.1,
  unavailable: 0.15,
  hangBeforeWork: 0.05,
  hangAfterWork: 0.05,
  dropAfterWork: 0.15,
}

/** Predefined shares. With these levels, 0 %, 15 % and 50 % of the keys meet a fault. */
export const faultLevels = { none: {}, some, many } satisfies Record<string, FaultShares>

/** The name of a predefined level. */
export type FaultLevel = keyof typeof faultLevels

export interface Treatment {
  readonly fault: FaultKind | undefined
  /** The time that the service waits before it does anything. */
  readonly delayMs: number
}

/**
 * Decides which fault each request meets. The n-th request with a key meets the n-th fault of that key, and
 * the faults depend only on the seed and the key. Two runs with the same seed and keys therefore meet the
 * same faults, whatever the order of their requests.
 */
export class FaultInjector {
  private readonly requestsByKey = new Map<string, number>()
  private readonly shares: FaultShares
  private readonly maxFaultsPerKey: number

  /** @throws RangeError that names every share or limit that is out of bounds */
  constructor(
    private readonly seed: number,
    options: FaultOptions,
  ) {
    this.shares = options.shares
    this.maxFaultsPerKey = options.maxFaultsPerKey ?? 2
    const problems = problemsOf(this.shares, this.maxFaultsPerKey)
    if (problems.length > 0) throw new RangeError(`faults cannot be injected: ${problems.join('; ')}`)
  }

  /**
   * Returns the delay and the fault for the next request with this key.
   *
   * @param key the idempotency key, preceded by the name of the service, because each service has its own
   * keys
   */
  next(key: string): Treatment {
    const earlierRequests = this.requestsByKey.get(key) ?? 0
    this.requestsByKey.set(key, earlierRequests + 1)
    const random = randomFor(this.seed, key)
    const fault = planFaults(random, this.shares, this.maxFaultsPerKey)[earlierRequests]
    const delayMs = fault === 'slow' ? 50 + random.next() * 250 : 1 + random.next() * 4
    return { fault, delayMs: Math.round(delayMs) }
  }
}

/** Returns the faults of one key in order. Most keys have none, and the others have 1 to `maxFaults`. */
export function planFaults(random: Random, shares: FaultShares, maxFaults: number): FaultKind[] {
  const first = kindAt(random.next(), shares)
  if (first === undefined || maxFaults === 0) return []
  const count = 1 + Math.floor(random.next() * maxFaults)
  const totalShare = sumOf(shares)
  const faults = [first]
  while (faults.length < count) faults.push(kindAt(random.next() * totalShare, shares) ?? first)
  return faults
}

/** Places the kinds on a line, each as wide as its share. Returns the kind that covers `point`. */
function kindAt(point: number, shares: FaultShares): FaultKind | undefined {
  let end = 0
  for (const kind of faultKinds) {
    end += shares[kind] ?? 0
    if (point < end) return kind
  }
  return undefined
}

function sumOf(shares: FaultShares): number {
  return faultKinds.reduce((sum, kind) => sum + (shares[kind] ?? 0), 0)
}

function problemsOf(shares: FaultShares, maxFaultsPerKey: number): string[] {
  const problems: string[] = []
  for (const kind of faultKinds) {
    const share = shares[kind] ?? 0
    if (!(share >= 0 && share <= 1)) problems.push(`the share of '${kind}' must be 0 to 1, got ${share}`)
  }
  // A small excess is allowed, because in floating point, ten shares of 0.1 do not add up to exactly 1.
  if (sumOf(shares) > 1 + 1e-9) problems.push(`the shares must add up to at most 1, got ${sumOf(shares)}`)
  if (!Number.isInteger(maxFaultsPerKey) || maxFaultsPerKey < 0) {
    problems.push(`maxFaultsPerKey must be a whole number from 0, got ${maxFaultsPerKey}`)
  }
  return problems
}
