import type { Duplex } from 'node:stream'
import type { LeaseStore } from '../../../lease-store/index.js'
import type { FeedPosition } from '../../change-feed-processor/feed/change-feed.js'
import type { Container, CosmosEngine } from '../../emulator/engine/index.js'
import type { DocumentAddress, StateWrite } from '../../sas/store/state-store.js'
import { Frames } from './door-frames.js'
import {
  jsonText,
  keyOf,
  mayBeLarge,
  pageText,
  stateMethods,
  unwrapped,
  withSentCause,
} from './door-answers.js'
import { doorProtocol, isRequest, sentError, type DoorNames, type DoorRequest } from './door-messages.js'
import type { OnCharge } from '../engine-documents.js'
import { EndedJobs } from '../ended-jobs.js'
import { engineOf, enginePorts, type EnginePorts } from '../engine-ports.js'
import { WrittenVersions } from '../written-versions.js'
import { ownChangeText } from './own-writes.js'
import { mostUnsentBytes, PacedRequests } from './paced-requests.js'
import { AskedWork } from './asked-work.js'
import { calledLease } from './called-lease.js'
import { ToldWrites } from './told-writes.js'
import type { TakenWork, WorkingUnits } from '../taken-work.js'

/** A connection of another process, and the parameters that it sent. */
interface Connection {
  readonly socket: Duplex
  readonly parameters: URLSearchParams
}

/** The door of an account, which does not know the protocol. */
interface LocalDoor {
  open(protocol: { readonly name: string; serve(connection: Connection): unknown }): void
}

/** The size of the largest frame of requests, in bytes. A transaction has at most 2 MB. */
const maxBytes = 16 * 1024 * 1024

/** Lets other processes of this machine use the ports on this account. Without a data directory, there is no door. */
export function serveDoor(account: object): void {
  const engine = engineOf(account)
  const door = Reflect.get(account, 'localDoor') as LocalDoor
  door.open({ name: doorProtocol(), serve: (connection) => new DoorSession(engine, connection) })
}

/** Answers the requests of one connection. Each answer is the text of its JSON, so documents need not be parsed. */
type Answering = (...args: never[]) => Promise<string>

/**
 * The connection of one attached process.
 *
 * States: open → ended, with the connection.
 */
class DoorSession {
  private readonly frames: Frames
  private readonly requests = new PacedRequests({
    isLarge: mayBeLarge,
    unsentBytes: () => this.frames.unsentBytes,
    answer: (request) => this.answer(request),
  })
  private readonly ports: EnginePorts
  private readonly names: DoorNames
  private readonly methods: ReadonlyMap<string, Answering>
  /** The methods of each part of the process whose requests are counted apart. */
  private readonly methodsOfUsers = new Map<string, ReadonlyMap<string, Answering>>()
  private readonly leases = new Map<string, LeaseStore>()
  private readonly writes = new ToldWrites({
    send: (message) => {
      this.sendCharges()
      this.frames.send(message)
    },
    whenSettled: (run) => this.whenSettled(run),
    readable: () => this.readable(),
  })
  /** What is sent with the next frame. */
  private charged: (readonly [operation: string, charge: number, user?: string])[] = []
  /** The functions that end what the process has asked for, by the key of the job, or `writes`. */
  private readonly ending = new Map<string, () => void>()
  private readonly asked = new AskedWork(() => this.frames.send('["asked"]'))
  private toldRid: string | null | undefined = undefined
  /** The resource id of the first container of this connection. */
  private ownRid: string | null = null

  constructor(
    private readonly engine: CosmosEngine,
    { socket, parameters }: Connection,
  ) {
    const name = (key: keyof DoorNames): string => parameters.get(key) ?? ''
    this.names = {
      database: name('database'),
      container: name('container'),
      leaseContainer: name('leaseContainer'),
      accountHost: name('accountHost'),
    }
    this.ports = enginePorts(engine, name('database'), {
      accountHost: name('accountHost'),
      // The process itself keeps the documents.
      written: new WrittenVersions(false),
    })
    this.methods = new Map(Object.entries(this.answering()))
    this.frames = new Frames(socket, {
      maxBytes,
      readsWhileFull: false,
      onMessages: (messages) => this.take(messages),
      onSent: () => this.requests.continue(),
      onEnd: () => {
        this.requests.end()
        for (const end of this.ending.values()) end()
        this.ending.clear()
      },
    })
    this.tellContainer()
  }

  /**
   * Says which container this connection is for, first of all and when there is another one. Returns false if there is another one.
   * Then no request is carried out, and the other process ends the connection.
   */
  private tellContainer(): boolean {
    const rid = this.container?.rid ?? null
    if (rid !== this.toldRid) this.frames.send(JSON.stringify(['container', rid]))
    this.toldRid = rid
    if (rid === null) return true
    this.ownRid ??= rid
    return rid === this.ownRid
  }

  private get container(): Container | undefined {
    const { database, container } = this.names
    return this.engine.databaseNamed(database)?.container(container)
  }

  /** Returns the container if a page can be read and sent at once. */
  private readable(): Container | null {
    const settled = this.engine.settled()
    // After a failure of the disk, the promise rejects. That must not end the process.
    settled?.catch(() => undefined)
    const isAtOnce = settled === null && this.frames.unsentBytes <= mostUnsentBytes
    return isAtOnce && this.tellContainer() ? (this.container ?? null) : null
  }

  /** Returns a function that keeps the charges of one part of the process until the next answer. */
  private charging(user?: string): OnCharge {
    const more: [] | [string] = user === undefined ? [] : [user]
    return (operation, charge) => void this.charged.push([operation, charge, ...more])
  }

  private take(messages: readonly unknown[]): void {
    const requests = messages.filter(isRequest)
    if (requests.length === messages.length && requests.every(([, method]) => this.methods.has(method)))
      this.requests.take(requests)
    else this.frames.end(new Error('the other process sent a request that this version does not know'))
  }

  private async answer(request: DoorRequest): Promise<void> {
    if (!this.tellContainer()) return
    const text = await this.answerText(request)
    this.sendCharges()
    if (request[0] !== 0) this.frames.send(`[${request[0]},${text}]`)
  }

  /** Never rejects: an error in a message must not end the process that has the store open. */
  private async answerText([, method, ...args]: DoorRequest): Promise<string> {
    try {
      return (await this.methods.get(method)?.(...(args as never[]))) ?? 'null'
    } catch (error) {
      return `null,${JSON.stringify(sentError(error))}`
    }
  }

  /** Answers a request of one part of the process, whose charges are told apart. */
  private async answerFor(user: string, method: string, ...args: readonly unknown[]): Promise<string> {
    const methods = this.methodsOfUsers.get(user) ?? new Map(Object.entries(this.answering(user)))
    this.methodsOfUsers.set(user, methods)
    const found = methods.get(method)
    if (found === undefined) throw new RangeError(`the store has no method ${method}`)
    return found(...(args as never[]))
  }

  private answering(user?: string): Readonly<Record<string, Answering>> {
    const { container } = this.names
    const onCharge = this.charging(user)
    const state = this.ports.stateStore(container, onCharge)
    const feed = this.ports.changeFeed(container, onCharge)
    const lists = stateMethods.map((name): [string, Answering] => {
      const method = Reflect.get(state, name) as (...args: unknown[]) => Promise<unknown>
      return [name, async (...args: never[]) => jsonText(await method.apply(state, args))]
    })
    const { signal } = new AbortController()
    return {
      ...Object.fromEntries(lists),
      read: async (address: DocumentAddress) => (await state.readText(address)) ?? 'null',
      apply: async (partition: string, writes: readonly StateWrite[]) =>
        jsonText(withSentCause(await state.applyReadable(partition, writes))),
      readNext: async (from: FeedPosition, maxItemCount: number, hasOwn: boolean) => {
        this.writes.forget(from)
        const page = feed.readNextTexts(from, { maxItemCount, signal }, hasOwn ? ownChangeText : undefined)
        return pageText(await page.catch(unwrapped))
      },
      expect: async (from: FeedPosition, maxItemCount: number) => {
        const read = () => feed.nextTextsNow(from, { maxItemCount, signal }, ownChangeText)
        this.writes.expect({ from, maxItemCount, read })
        return 'null'
      },
      readAllVersions: async (from: FeedPosition, maxItemCount: number) =>
        pageText(await feed.readAllVersionTexts(from, { maxItemCount, signal }).catch(unwrapped)),
      physicalRanges: async () => jsonText(await feed.physicalRanges()),
      partitionKeyPaths: async () => jsonText(await feed.partitionKeyPaths()),
      lease: (processorName: string, store: number, method: string, ...args: unknown[]) =>
        calledLease(this.leaseStore(processorName, store, onCharge), method, args),
      as: (name: string, method: string, ...args: unknown[]) => this.answerFor(name, method, ...args),
      watch: async () => this.watch(),
      await: async (address: DocumentAddress) => this.awaitEnd(address),
      offer: async (instanceName: string) => this.offer(instanceName),
      work: async (work: TakenWork) => this.asked.told(work),
      taking: async (question: number, units: WorkingUnits) => this.answerTaking(question, units),
      forget: async (address: DocumentAddress) => this.end(keyOf(address)),
    }
  }

  private leaseStore(processorName: string, store: number, onCharge: OnCharge): LeaseStore {
    const { container: monitoredContainer, leaseContainer } = this.names
    const key = `${store}\n${processorName}`
    const leases =
      this.leases.get(key) ??
      this.ports.leaseStore({ processorName, leaseContainer, monitoredContainer }, onCharge)
    this.leases.set(key, leases)
    return leases
  }

  private watch(): string {
    if (this.ending.has('writes')) return 'null'
    this.ending.set(
      'writes',
      this.ports.watch(this.names.container, (rangeId) => this.writes.note(rangeId)),
    )
    return 'null'
  }

  private sendCharges(): void {
    if (this.charged.length === 0) return
    this.frames.send(JSON.stringify(['charged', ...this.charged]))
    this.charged = []
  }

  /** Calls `run` when all that is written by now is on disk. Does not call it if the disk fails. */
  private whenSettled(run: () => void): void {
    const settled = this.engine.settled()
    if (settled === null) run()
    else settled.then(run, () => undefined)
  }

  private awaitEnd(address: DocumentAddress): string {
    const key = keyOf(address)
    if (this.ending.has(key)) return 'null'
    const jobs = EndedJobs.of(this.engine.container(this.names.database, this.names.container))
    const told = { isSo: false }
    const end = jobs.subscribe(address, (text) => {
      if (told.isSo) return
      told.isSo = true
      const head = JSON.stringify(['ended', address.pk, address.id]).slice(0, -1)
      // The process may act on the end, so the end must be on disk.
      this.whenSettled(() => {
        this.end(key)
        this.frames.send(`${head},${text}]`)
      })
    })
    if (told.isSo) end()
    else this.ending.set(key, end)
    return 'null'
  }

  /** Adds the process to those that are asked which work they take. */
  private offer(instanceName: string): string {
    const remove = this.ports.takers(this.names.container).add(instanceName, () => this.asked.ask())
    this.ending.get('work')?.()
    this.ending.set('work', () => {
      remove()
      this.asked.told(null)
    })
    return 'null'
  }

  private async answerTaking(question: number, units: WorkingUnits): Promise<string> {
    const { container: monitoredContainer, leaseContainer } = this.names
    const name = await this.ports.takingScheduler({ monitoredContainer, leaseContainer }, units)
    this.frames.send(JSON.stringify(['taken', question, name]))
    return 'null'
  }

  private end(key: string): string {
    this.ending.get(key)?.()
    this.ending.delete(key)
    return 'null'
  }
}
