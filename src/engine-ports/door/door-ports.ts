import type { LeaseStore } from '../../../lease-store/index.js'
import type { ChangeFeed } from '../../change-feed-processor/feed/change-feed.js'
import { ContainerReplacedError } from '../../change-feed-processor/feed/errors.js'
import type { Clock } from '../../platform/index.js'
import type { JobAddress, EndedJob, WakeUps } from '../../sas/in-process/job-endings.js'
import type { StateStore } from '../../sas/store/state-store.js'
import { doorFeed, doorLeases, doorState, type Calls } from './called-ports.js'
import { DoorConnection } from './door-connection.js'
import { doorProtocol, type DoorNames, type DoorPush, type SentPage } from './door-messages.js'
import { ExpectedPages } from './expected-pages.js'
import { OwnWrites } from './own-writes.js'
import { endedJobIn } from '../ended-jobs.js'
import { KnownScheduler, type TakenWork, type WorkingUnits } from '../taken-work.js'
import type { Socket } from 'node:net'

/** The account that another process has open. */
export interface DoorAccount {
  dial(protocol: string, parameters: Readonly<Record<string, string>>): Promise<Socket | null>
}

export interface DoorOptions {
  readonly names: DoorNames
  readonly clock: Clock
  /** Receives the operation and the request units of each call, and the part of the process, if it is known. */
  readonly onCharge: (operation: string, charge: number, user?: string) => void
}

/** The ports to a store that another process of this machine has open. */
export interface DoorPorts {
  readonly state: StateStore
  /** Returns the same store, whose requests are counted for this part of the process. */
  stateOf(user: string): StateStore
  changeFeed(user?: string): ChangeFeed
  leases(processorName: string, user?: string): LeaseStore
  /** Reports writes by others, or null if some may have been missed. Returns a function that ends this. */
  watch(onWrite: (physicalRangeId: string | null) => void): () => void
  /** Reports the ends of jobs, of whatever process. */
  readonly endings: WakeUps
  /** Says which work this process takes whenever another process asks. Returns a function that ends this. */
  offerWork(instanceName: string, work: () => TakenWork): () => void
  /** Returns a function that returns the name of a scheduler that takes jobs, as {@link KnownScheduler} does. */
  takingScheduler(units: WorkingUnits): () => string | null
  close(): void
}

/** Opens the ports. Returns null if the other process has another version of the package. */
export async function openDoor(account: DoorAccount, options: DoorOptions): Promise<DoorPorts | null> {
  const door = new Door(account, options)
  return (await door.connection.open()) ? door : null
}

/**
 * Reports the writes to a container of an account that another process has open, for a process that otherwise uses
 * the SDK. Returns a function that ends this.
 */
export function watchThroughDoor(
  account: DoorAccount,
  clock: Clock,
  { database, container, onWrite }: WatchedContainer,
): () => void {
  const names = { database, container, leaseContainer: '', accountHost: '' }
  const door = new Door(account, { names, clock, onCharge: () => undefined })
  door.watch(onWrite)
  return () => door.close()
}

/** A container by its names, and what hears of writes to it. */
export interface WatchedContainer extends Pick<DoorNames, 'database' | 'container'> {
  readonly onWrite: (physicalRangeId: string | null) => void
}

/** The listeners for the end of one job. */
interface Awaited {
  readonly address: { readonly pk: string; readonly id: string }
  readonly listeners: Set<(ended: EndedJob) => void>
}

class Door implements DoorPorts {
  readonly connection: DoorConnection
  readonly state: StateStore
  readonly endings: WakeUps = { subscribe: (job, listener) => this.awaitEnd(job, listener) }
  private readonly watchers = new Set<(physicalRangeId: string | null) => void>()
  private readonly awaited = new Map<string, Awaited>()
  private readonly pages = { own: new OwnWrites(), expected: new ExpectedPages() }
  private leaseStores = 0
  private offered: { readonly instanceName: string; readonly work: () => TakenWork } | null = null
  private known: KnownScheduler | null = null
  private rid: string | null = null

  constructor(
    account: DoorAccount,
    private readonly options: DoorOptions,
  ) {
    this.connection = new DoorConnection({
      dial: () => account.dial(doorProtocol(), { ...options.names }),
      clock: options.clock,
      onGreeting: ([kind, rid]) =>
        kind === 'container'
          ? this.met(rid as string | null)
          : new Error('the store did not say which it is'),
      onOpen: () => this.begin(),
      onPush: (push) => this.hear(push),
      isNeeded: () => this.watchers.size + this.awaited.size > 0,
    })
    this.state = doorState(this.callsOf(undefined), this.pages.own)
  }

  stateOf(user: string): StateStore {
    return doorState(this.callsOf(user), this.pages.own)
  }

  changeFeed(user?: string): ChangeFeed {
    return doorFeed(this.callsOf(user), this.pages)
  }

  leases(processorName: string, user?: string): LeaseStore {
    this.leaseStores += 1
    const store = this.leaseStores
    const { call } = this.callsOf(user)
    return doorLeases((method, ...args) => call('lease', processorName, store, method, ...args))
  }

  /** Returns the functions that send requests of a part of the process, which the store names with their charges. */
  private callsOf(user: string | undefined): Calls {
    const { connection } = this
    if (user === undefined)
      return {
        call: (method, ...args) => connection.call(method, ...args),
        callSized: (method, ...args) => connection.callSized(method, ...args),
        tell: (method, ...args) => connection.tell(method, ...args),
      }
    return {
      call: (method, ...args) => connection.call('as', user, method, ...args),
      callSized: (method, ...args) => connection.callSized('as', user, method, ...args),
      tell: (method, ...args) => connection.tell('as', user, method, ...args),
    }
  }

  watch(onWrite: (physicalRangeId: string | null) => void): () => void {
    const isFirst = this.watchers.size === 0
    this.watchers.add(onWrite)
    if (isFirst) this.ask('watch')
    return () => {
      this.watchers.delete(onWrite)
    }
  }

  offerWork(instanceName: string, work: () => TakenWork): () => void {
    this.offered = { instanceName, work }
    this.connection.tell('offer', instanceName)
    return () => {
      this.offered = null
    }
  }

  takingScheduler(units: WorkingUnits): () => string | null {
    const known = new KnownScheduler(this.options.clock, (question) =>
      this.connection.tell('taking', question, units),
    )
    this.known = known
    return () => known.name()
  }

  close(): void {
    this.connection.end()
  }

  /** Asks for reports, now or as soon as there is a connection. */
  private ask(method: string, ...args: readonly unknown[]): void {
    if (this.connection.isOpen) this.connection.tell(method, ...args)
    else this.connection.open().catch(() => undefined)
  }

  /** Asks again for what the previous connection reported, and says that reports may have been missed. */
  private begin(): void {
    this.pages.own.clear()
    this.pages.expected.clear()
    this.askAgain()
  }

  private askAgain(): void {
    if (this.watchers.size > 0) this.connection.tell('watch')
    for (const { address } of this.awaited.values()) this.connection.tell('await', address)
    if (this.offered !== null) this.connection.tell('offer', this.offered.instanceName)
    for (const onWrite of this.watchers) onWrite(null)
  }

  private hear([kind, ...values]: DoorPush): void {
    switch (kind) {
      case 'container': {
        const hadNone = this.rid === null
        const refusal = this.met(values[0] as string | null)
        if (refusal !== null) this.connection.refuse(refusal)
        // Without a container, the store could report nothing.
        else if (hadNone && this.rid !== null) this.askAgain()
        return
      }
      case 'written': {
        const [ranges, ...pages] = values as [readonly string[], ...SentPage[]]
        this.pages.expected.keep(pages)
        for (const rangeId of ranges) for (const onWrite of this.watchers) onWrite(rangeId)
        return
      }
      case 'charged':
        for (const charged of values) this.options.onCharge(...(charged as [string, number, string?]))
        return
      case 'asked':
        this.connection.tell('work', this.offered?.work() ?? { scheduler: null, agents: false })
        return
      case 'taken':
        this.known?.answered(...(values as [number, string | null]))
        return
      case 'ended':
        this.ended(...(values as [string, string, Record<string, unknown>]))
    }
  }

  /**
   * Notes which container this connection is for. Returns an error if it is another one than before, because the data directory or
   * the container was replaced: the leases of this process are not in it.
   */
  private met(rid: string | null): Error | null {
    if (rid === null) return null
    this.rid ??= rid
    return rid === this.rid ? null : new ContainerReplacedError(this.rid, rid)
  }

  private ended(pk: string, id: string, document: Readonly<Record<string, unknown>>): void {
    const key = keyOf({ pk, id })
    const awaited = this.awaited.get(key)
    const job = endedJobIn(document)
    if (awaited === undefined || job === null) return
    this.awaited.delete(key)
    for (const listener of awaited.listeners) listener({ job, steps: null })
  }

  private awaitEnd({ pk, id }: JobAddress, listener: (ended: EndedJob) => void): () => void {
    const key = keyOf({ pk, id })
    const known = this.awaited.get(key)
    const awaited = known ?? { address: { pk, id }, listeners: new Set() }
    awaited.listeners.add(listener)
    if (known === undefined) {
      this.awaited.set(key, awaited)
      this.ask('await', awaited.address)
    }
    return () => {
      awaited.listeners.delete(listener)
      if (awaited.listeners.size > 0 || this.awaited.get(key) !== awaited) return
      this.awaited.delete(key)
      this.connection.tell('forget', awaited.address)
    }
  }
}

function keyOf({ pk, id }: { readonly pk: string; readonly id: string }): string {
  return `${pk}\n${id}`
}
