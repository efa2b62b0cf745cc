import type { Clock } from 'stepward'
import { faultKinds, type FaultKind } from './faults.js'

export type ServiceName = 'inventory' | 'payments' | 'shipping' | 'shop'

export type EffectKind = 'reserve' | 'release' | 'charge' | 'refund' | 'ship'

/** One effect that a service had. */
export interface Effect {
  readonly service: ServiceName
  readonly kind: EffectKind
  /** The idempotency key of the request. */
  readonly key: string
  readonly orderId: string
  /** The id of the reservation, charge, refund or shipment that the service created. */
  readonly id: string
  /** The id of the effect that this effect undoes. */
  readonly undoes?: string
  /** The time of the effect, in ISO-8601 UTC. */
  readonly at: string
}

/** A reply about an order that the shop received. */
export interface ReplyTaken {
  readonly orderId: string
  /** The number of the reply within its order: 1, 2, 3… */
  readonly seq: number
  readonly kind: string
  readonly state: string
  readonly reason: string | null
}

/** All effects of the services, and the number of their requests. A run is checked against this report. */
export interface LedgerReport {
  /** Oldest first. */
  readonly effects: readonly Effect[]
  /**
   * The number of effects that violate at least one of two rules: an idempotency key has at most one effect,
   * and an order has at most one reservation, one charge and one shipment that are not undone.
   */
  readonly duplicateEffects: number
  /** The replies to the shop, oldest first. A reply that was repeated with the same key is listed once. */
  readonly replies: readonly ReplyTaken[]
  /** The number of replies whose `seq` does not directly follow the `seq` of the order's previous reply. */
  readonly misorderedReplies: number
  readonly counters: {
    /** The number of valid requests. */
    readonly requests: number
    /** The number of valid requests whose idempotency key was known, so the answer came from memory. */
    readonly answeredFromMemory: number
    readonly faults: Readonly<Record<FaultKind, number>>
  }
}

export class Ledger {
  private readonly effects: Effect[] = []
  private readonly replies: ReplyTaken[] = []
  private readonly lastReplies = new Map<string, ReplyTaken>()
  private misorderedReplies = 0
  private readonly faults = new Map<FaultKind, number>()
  private requests = 0
  private answeredFromMemory = 0

  constructor(private readonly clock: Clock) {}

  record(effect: Omit<Effect, 'at'>): void {
    this.effects.push({ ...effect, at: new Date(this.clock.now()).toISOString() })
  }

  recordReply(reply: ReplyTaken): void {
    const before = this.lastReplies.get(reply.orderId)?.seq ?? 0
    if (reply.seq !== before + 1) this.misorderedReplies += 1
    this.replies.push(reply)
    this.lastReplies.set(reply.orderId, reply)
  }

  lastReply(orderId: string): ReplyTaken | undefined {
    return this.lastReplies.get(orderId)
  }

  countRequest(): void {
    this.requests += 1
  }

  countAnswerFromMemory(): void {
    this.answeredFromMemory += 1
  }

  countFault(kind: FaultKind): void {
    this.faults.set(kind, this.faultsOf(kind) + 1)
  }

  /** Returns a copy, so later effects do not change the report. */
  report(): LedgerReport {
    const faults = Object.fromEntries(faultKinds.map((kind) => [kind, this.faultsOf(kind)]))
    return {
      effects: [...this.effects],
      duplicateEffects: countDuplicates(this.effects),
      replies: [...this.replies],
      misorderedReplies: this.misorderedReplies,
      counters: {
        requests: this.requests,
        answeredFromMemory: this.answeredFromMemory,
        faults: faults as Record<FaultKind, number>,
      },
    }
  }

  private faultsOf(kind: FaultKind): number {
    return this.faults.get(kind) ?? 0
  }
}

/** The kinds of effects of which an order may have only one at a time. */
const oncePerOrder: ReadonlySet<EffectKind> = new Set(['reserve', 'charge', 'ship'])

/** Counts the {@link LedgerReport.duplicateEffects}. An effect that violates both rules counts once. */
export function countDuplicates(effects: readonly Omit<Effect, 'at'>[]): number {
  const undone = new Set(effects.map((effect) => effect.undoes))
  const keys = new Set<string>()
  const orders = new Set<string>()
  let duplicates = 0
  for (const { service, kind, key, orderId, id } of effects) {
    const isKeyKnown = !addTo(keys, [service, key])
    const isStanding = oncePerOrder.has(kind) && !undone.has(id)
    const isOrderKnown = isStanding && !addTo(orders, [service, kind, orderId])
    if (isKeyKnown || isOrderKnown) duplicates += 1
  }
  return duplicates
}

/** Adds a value to the set and returns whether it was new. */
function addTo(seen: Set<string>, parts: readonly string[]): boolean {
  const before = seen.size
  return seen.add(JSON.stringify(parts)).size > before
}
