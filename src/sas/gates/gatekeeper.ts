import type { Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import { StoreUnavailable } from '../model/errors.js'
import type { GateDocument, Holder, LimitDecision, Visitor } from '../model/gate-documents.js'
import {
  replacing,
  type DocumentAddress,
  type StateStore,
  type StateWrite,
  type Stored,
} from '../store/state-store.js'
import { UnclearWrites } from '../store/unclear-writes.js'
import { nextTurns } from './queues.js'
import { emptyGate, type Arrival, type GateAnswer } from './gate.js'
import { decideWishes, type Wish, type WishResult } from './wishes.js'
import { gateAddress, homeOf } from './home.js'
import { rulesOf } from './rules-in-force.js'
import { WishLines } from './wish-lines.js'
import { readGate } from './stored-gate.js'
import { find, offer } from './visitors.js'

export interface GatekeeperOptions {
  readonly store: StateStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  /**
   * Lets the scheduler of this process go on with a step that may enter. Resolves to false if it does not drive
   * the step's job. Then the step is offered by a write.
   */
  readonly goOnHere?: (visitor: Visitor) => Promise<boolean>
}

/** A gate as this process has written or read it. */
interface Known {
  readonly gate: Stored<GateDocument>
  /** Whether no other process changed the gate between the last two uses. Then the next use needs no read. */
  readonly isTrusted: boolean
}

/** The largest number of gates that are remembered. */
const maxKnown = 1_000

/** The number of tries of one write. A try fails if another instance changes the gate first. */
const maxTries = 10

/**
 * Changes the documents of gates for the steps of this process. Wishes for the same gate that come together share
 * one conditional write. After each write, the waiters that may enter are called: their steps are offered to the
 * scheduler. If the process dies in between, a supervisor calls them.
 *
 * A leave may wait for a moment for another wish ({@link WishLines}). `stop` writes the leaves that wait.
 */
export class Gatekeeper {
  private readonly lines: WishLines
  private readonly known = new Map<string, Known>()
  /** The calls of waiters that have begun. They never reject. */
  private readonly calling = new Set<Promise<void>>()

  constructor(private readonly options: GatekeeperOptions) {
    this.lines = new WishLines({
      clock: options.clock,
      write: (key, wishes) => this.write(key, wishes),
      hasRoom: (key) => this.hasRoom(key),
    })
  }

  /** Writes the leaves that wait, and goes on until no write and no call is under way. A later leave is written at once. */
  async stop(): Promise<void> {
    do {
      await this.lines.stop()
      while (this.calling.size > 0) await Promise.all(this.calling)
      // A called step may end at once and leave.
    } while (!this.lines.isIdle)
  }

  /**
   * Lets a step enter a gate, or join its queue. The same arrival may be repeated.
   *
   * @throws StoreUnavailable if the store could not be reached
   */
  async arrive(arrival: Arrival): Promise<GateAnswer> {
    const { answer } = await this.wish(arrival.gate.key, { kind: 'arrive', arrival })
    if (answer === null) throw new Error(`gate ${arrival.gate.key} gave no answer`)
    return answer
  }

  /** Frees the place of a step, and calls the next waiters. */
  async leave(key: string, visitor: Visitor): Promise<void> {
    await this.wish(key, { kind: 'leave', visitor })
  }

  /**
   * Frees the place of a step that never comes to the gate again as the same visitor. If the gate has room, the write may
   * wait for another wish. If the store does not answer, it is tried again. If the process dies before that, a
   * supervisor frees the place as soon as others wait.
   */
  async leaveForGood(key: string, visitor: Visitor): Promise<void> {
    await this.lines.leaveForGood(key, { kind: 'leave', visitor })
  }

  /** Checks whether a gate has a free place and no waiters. The transactions of jobs write gates of one partition. */
  private hasRoom(key: string): boolean {
    const gate = this.remembered(key)
    if (gate === null || homeOf(key) !== null) return false
    const { atOnce = Infinity } = rulesOf(gate)
    return gate.lanes.length === 0 && gate.holders.length < atOnce
  }

  /**
   * Carries out a decision of an operator about the rules of a gate, and keeps it. Then calls the waiters that may enter
   * now, because the process of an operator may end after this.
   */
  async decide(key: string, made: LimitDecision): Promise<GateDocument> {
    const { gate } = await this.wish(key, { kind: 'decide', made })
    while (this.calling.size > 0) await Promise.all(this.calling)
    return gate
  }

  /**
   * Checks the steps inside a gate whose time has come, and frees the places of those that are gone. Returns the
   * time of the next check, or null.
   */
  async check(address: DocumentAddress, graceMs: number): Promise<number | null> {
    const { store, clock } = this.options
    const gate = await readGate(store, address)
    const dueMs = gate?.completeByMs ?? null
    if (gate === null || dueMs === null) return null
    if (clock.now() < dueMs + graceMs) return dueMs + graceMs
    const due = gate.holders.filter(({ untilMs }) => untilMs + graceMs <= clock.now())
    const checks = await Promise.allSettled(due.map((holder) => this.checkHolder(holder, gate)))
    const wishes = checks.flatMap((check) => (check.status === 'fulfilled' ? check.value : []))
    const results = await Promise.all(wishes.map((wish) => this.wish(gate.key, wish)))
    // The places of the others are written already. With many holders, some check may fail each time.
    const failed = checks.find((check) => check.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    const after = results.at(-1) ?? (await this.wish(gate.key, { kind: 'rule' }))
    const { completeByMs } = after.gate
    return completeByMs === null ? null : Math.max(completeByMs + graceMs, clock.now() + soonMs)
  }

  private async checkHolder(holder: Holder, gate: GateDocument): Promise<Wish> {
    const { store, clock } = this.options
    const { standing, againMs } = await find(store, holder, gate, clock.now())
    // A scheduler may be about to write a visitor that is coming. It uses its answer for a shorter time.
    const isLost = standing === 'coming' && holder.isAwaited === true
    if (standing === 'gone') return { kind: 'leave', visitor: holder }
    // Another scheduler may come for it at this moment, and then its check is later.
    if (isLost) return { kind: 'leave', visitor: holder, dueMs: holder.untilMs }
    if (standing === 'waiting') await this.call(holder, gate.key)
    return { kind: 'checkLater', visitor: holder, untilMs: againMs, standing }
  }

  /** Returns the version of the gate that this process knows. Use it only for a write on condition of its etag. */
  remembered(key: string): Stored<GateDocument> | null {
    return this.known.get(key)?.gate ?? null
  }

  forget(key: string): void {
    this.known.delete(key)
  }

  /** Remembers a gate that was written together with a job, and calls the waiters that may enter. */
  written(gate: Stored<GateDocument>, waiters: readonly Visitor[]): void {
    this.remember(gate, true)
    this.callNext(gate, waiters)
  }

  private wish(key: string, wish: Wish): Promise<WishResult> {
    return this.lines.wish(key, wish)
  }

  private async write(key: string, wishes: readonly Wish[]): Promise<readonly WishResult[]> {
    try {
      return await this.tryToWrite(key, wishes)
    } catch (error) {
      this.known.delete(key)
      throw error
    }
  }

  private async tryToWrite(key: string, wishes: readonly Wish[]): Promise<readonly WishResult[]> {
    const { store, clock } = this.options
    const unclear = new UnclearWrites(`gate ${JSON.stringify(key)}`)
    let mustRead = false
    for (let tries = 0; tries < maxTries; tries += 1) {
      const known = this.known.get(key)
      const isRead = mustRead || known?.isTrusted !== true
      const before = isRead ? await this.read(key) : known.gate
      const decision = await decideWishes(before ?? emptyGate(key, clock.now()), wishes, this.options)
      if (decision.writes === null) {
        if (isRead) return decision.results
        // Without a write, only the stored document shows that the answers are true.
        mustRead = true
        continue
      }
      const { gate, writes } = decision
      const write: StateWrite = before === null ? { kind: 'create', document: gate } : replacing(before, gate)
      const result = await unclear.write(() => store.apply(gate.pk, [write, ...writes]))
      if (result.kind === 'applied') {
        const isTrusted = this.known.get(key)?.isTrusted === true
        this.remember({ ...gate, _etag: result.etags[0] ?? '', _ts: 0 }, isTrusted)
        this.callNext(gate, decision.called)
        return decision.results
      }
      this.known.delete(key)
    }
    const message = `gate ${JSON.stringify(key)}: another writer changed it first in each of ${maxTries} tries`
    throw new StoreUnavailable(message, { cause: null })
  }

  private callNext(gate: GateDocument, waiters: readonly Visitor[]): void {
    for (const visitor of waiters) this.callLater(visitor, gate.key)
    if (nextTurns(gate).turns.length > 0) this.callMore(gate.key)
  }

  /** Reads and remembers a gate. */
  async read(key: string): Promise<Stored<GateDocument> | null> {
    const known = this.known.get(key)
    const gate = await readGate(this.options.store, gateAddress(key))
    if (gate === null) this.known.delete(key)
    else this.remember(gate, known?.gate._etag === gate._etag)
    return gate
  }

  private remember(gate: Stored<GateDocument>, isTrusted: boolean): void {
    this.known.delete(gate.key)
    this.known.set(gate.key, { gate, isTrusted })
    const [oldest] = this.known.keys()
    if (this.known.size > maxKnown && oldest !== undefined) this.known.delete(oldest)
  }

  private callLater(visitor: Visitor, key: string): void {
    this.begin(this.callHere(visitor, key))
  }

  private callMore(key: string): void {
    this.begin(this.wish(key, { kind: 'rule' }))
  }

  private begin(work: Promise<unknown>): void {
    const call = work
      .catch((error: unknown) => this.failed(error))
      .then(() => {
        this.calling.delete(call)
      })
    this.calling.add(call)
  }

  /** Lets the scheduler of this process go on with the step, which saves a write, or offers the step. */
  private async callHere(visitor: Visitor, key: string): Promise<void> {
    const isHere = await this.options.goOnHere?.(visitor).catch((error: unknown) => {
      this.failed(error)
      return false
    })
    if (isHere !== true) await this.call(visitor, key)
  }

  /** Offers the step of a visitor to the scheduler, or frees the place of a step that is gone. */
  private async call(visitor: Visitor, key: string): Promise<void> {
    const { store, clock } = this.options
    const standing = await offer(store, visitor, key, () => clock.now())
    if (standing === 'gone') await this.leave(key, visitor)
  }

  private failed(error: unknown): void {
    this.options.telemetry.emit({ type: 'loop.failed', loop: 'gates', error })
  }
}

/** The shortest pause between two checks of a gate. */
const soonMs = 1_000
