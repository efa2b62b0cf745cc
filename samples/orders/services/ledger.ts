import type { Clock } from 'stepward'
import { faultKinds, type FaultKind } from './faults.js'

/** The remote services. */
export type ServiceName = 'inventory' | 'payments' | 'shipping' | 'shop'

/** What a service can do to the world. */
export type EffectKind = 'reserve' | 'release' | 'charge' | 'refund' | 'ship'

/** Something that was done, once and for all. */
export interface Effect {
  readonly service: ServiceName
  readonly kind: EffectKind
  /** The idempotency key it was asked for with. */
  readonly key: string
  readonly orderId: string
  /** What it made: the id of a reservation, charge, refund or shipment. */
  readonly id: string
  /** The id of the effect that this one takes back. */
  readonly undoes?: string
  /** ISO-8601 UTC. */
  readonly at: string
}

/** What the shop was told about an order, once and for all. */
export interface ReplyTaken {
  readonly orderId: string
  /** 1, 2, 3… within its order. */
  readonly seq: number
  readonly kind: string
  /** The job's. */
  readonly state: string
  readonly reason: string | null
}

/** Everything the services did, and how often they were asked: the truth that a run is checked against. */
export interface LedgerReport {
  /** Oldest first. */
  readonly effects: readonly Effect[]
  /**
   * Effects beyond the first for one idempotency key; and reservations, charges and shipments beyond the first for one
   * order that were not undone. Anything but 0 means a customer was charged twice, or the like.
   */
  readonly duplicateEffects: number
  /** What the shop was told, oldest first; a repetition under its key is no second reply. */
  readonly replies: readonly ReplyTaken[]
  /** Replies that did not come right after the one before them, order by order. */
  readonly misorderedReplies: number
  readonly counters: {
    /** Requests that were understood. */
    readonly requests: number
    /** Of these, answered from memory because their idempotency key was known. */
    readonly answeredFromMemory: number
    readonly faults: Readonly<Record<FaultKind, number>>
  }
}

/** Writes down what the services do, and what the shop is told. */
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

  /** What the shop was told last about an order. */
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

  /** A copy: what happens later does not change it. */
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

/** What an order may have only one of at a time. */
const oncePerOrder: ReadonlySet<EffectKind> = new Set(['reserve', 'charge', 'ship'])

/** See {@link LedgerReport.duplicateEffects}. An effect that is wrong in both ways counts once. */
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

/** Whether it was new. */
function addTo(seen: Set<string>, parts: readonly string[]): boolean {
  const before = seen.size
  return seen.add(JSON.stringify(parts)).size > before
}
