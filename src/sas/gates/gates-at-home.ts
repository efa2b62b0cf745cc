import type { Clock } from '../../platform/index.js'
import type { GateDocument, Visitor } from '../model/gate-documents.js'
import { replacing, type StateStore, type StateWrite, type Stored } from '../store/state-store.js'
import { emptyGate, type Arrival, type GateAnswer } from './gate.js'
import type { Gatekeeper } from './gatekeeper.js'
import { rulesOf } from './rules-in-force.js'
import { decideWishes, type Wish } from './wishes.js'

/** The largest number of waiters that one write of a job calls. The keeper of the gates calls the others. */
const maxCalls = 2

/** The largest number of gates in one write of a job. The keeper of the gates writes the others. */
export const maxGates = 20

interface Proposal {
  readonly before: Stored<GateDocument> | null
  readonly gate: GateDocument
  /** The writes of waiters. */
  readonly writes: readonly StateWrite[]
  readonly called: readonly Visitor[]
}

/** A change of a gate that the transaction of a job writes. */
export interface GateChange {
  readonly writes: readonly StateWrite[]
  /** Goes on after the write. `etag` is the new etag of the gate, whose write is the first. */
  applied(etag: string): void
  /** Forgets what this process knew of the gate, because the write failed. */
  failed(): void
}

/**
 * The changes of gates in the partition of one job, for one decision. They are proposed first, and written in the
 * transaction of the job. The etags of the gates are conditions of that transaction. So an answer from an old version of
 * a gate is never used.
 */
export class GatesAtHome {
  private readonly proposals = new Map<string, Proposal>()

  constructor(
    private readonly gates: Gatekeeper,
    private readonly by: { readonly store: StateStore; readonly clock: Clock },
  ) {}

  get isUsed(): boolean {
    return this.proposals.size > 0
  }

  /** Returns whether the transaction has room for a change of this gate. */
  hasRoomFor(key: string): boolean {
    return this.proposals.has(key) || this.proposals.size < maxGates
  }

  /** @throws StoreUnavailable if the gate could not be read */
  async arrive(arrival: Arrival): Promise<GateAnswer> {
    const answer = await this.propose(arrival.gate.key, { kind: 'arrive', arrival })
    if (answer === null) throw new Error(`gate ${arrival.gate.key} gave no answer`)
    return answer
  }

  /** @throws StoreUnavailable if the gate could not be read */
  async leave(key: string, visitor: Visitor): Promise<void> {
    await this.propose(key, { kind: 'leave', visitor })
  }

  /** Returns the changes to write with the job. */
  changes(): readonly GateChange[] {
    return [...this.proposals.values()].map(({ before, gate, writes, called }) => {
      const write: StateWrite = before === null ? { kind: 'create', document: gate } : replacing(before, gate)
      return {
        writes: [write, ...writes],
        applied: (etag) => this.gates.written({ ...gate, _etag: etag, _ts: 0 }, called),
        failed: () => this.gates.forget(gate.key),
      }
    })
  }

  /** Drops the changes, because the job was not written. */
  drop(): void {
    this.proposals.clear()
  }

  private get called(): number {
    return [...this.proposals.values()].reduce((sum, { called }) => sum + called.length, 0)
  }

  private async propose(key: string, wish: Wish): Promise<GateAnswer | null> {
    const proposed = this.proposals.get(key)
    if (proposed !== undefined) return this.added(key, proposed, wish)
    const known = this.gates.remembered(key)
    const first = known ?? (await this.gates.read(key))
    const answer = await this.added(key, this.unchanged(key, first), wish)
    if (this.proposals.has(key) || known === null) return answer
    if (wish.kind === 'leave' && rulesOf(known).atOnce === undefined) return answer
    // Without a write, only the stored document shows that the answer is true.
    return this.added(key, this.unchanged(key, await this.gates.read(key)), wish)
  }

  private unchanged(key: string, before: Stored<GateDocument> | null): Proposal {
    return { before, gate: before ?? emptyGate(key, this.by.clock.now()), writes: [], called: [] }
  }

  private async added(key: string, proposal: Proposal, wish: Wish): Promise<GateAnswer | null> {
    // A waiter that this transaction creates cannot be called in it. The keeper of the gates calls it afterwards.
    const hasNewWaiters = proposal.writes.some(({ kind }) => kind === 'create')
    const decision = await decideWishes(proposal.gate, [wish], {
      ...this.by,
      maxCalls: hasNewWaiters ? 0 : maxCalls - this.called,
    })
    if (decision.writes !== null) {
      this.proposals.set(key, {
        before: proposal.before,
        gate: decision.gate,
        writes: [...proposal.writes, ...decision.writes],
        called: [...proposal.called, ...decision.called],
      })
    }
    return decision.results[0]?.answer ?? null
  }
}
