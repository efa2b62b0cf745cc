import type { Socket } from 'node:net'
import type { Clock } from '../../platform/index.js'
import { Frames } from './door-frames.js'
import { receivedError, type DoorPush } from './door-messages.js'

/** Connects to the process that has the store open. Resolves with null if that process has another version. */
export type DialDoor = () => Promise<Socket | null>

export interface DoorConnectionOptions {
  readonly dial: DialDoor
  readonly clock: Clock
  /** Called with the first message of a connection. Returns the error with which all calls fail from now on, or null. */
  readonly onGreeting: (greeting: DoorPush) => Error | null
  /** Called whenever a connection is open. What it sends comes before all requests. */
  readonly onOpen: () => void
  readonly onPush: (push: DoorPush) => void
  /** Whether the connection is needed although no request waits for an answer. */
  readonly isNeeded: () => boolean
}

/** The connection to the store was lost, or could not be opened. */
export class DoorLost extends Error {
  /** The code of a network failure, which says whether the store may have received the request. */
  readonly code: 'ECONNREFUSED' | 'ECONNRESET'

  constructor(
    message: string,
    /** Whether the request was sent, so that it may have been carried out. */
    readonly isSent: boolean,
    cause: unknown,
    /** Whether no process has the store open. */
    readonly isStoreClosed = false,
  ) {
    super(message, { cause })
    this.code = isSent ? 'ECONNRESET' : 'ECONNREFUSED'
  }
}

/** An answer, with the length of the request's JSON. Characters count as one byte. */
export interface SizedAnswer {
  readonly answer: unknown
  readonly sentBytes: number
}

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  isSent: boolean
}

/** The size of the largest frame of answers, in bytes. The store is trusted, so this only finds errors. */
const maxBytes = 512 * 1024 * 1024

/** The pause before the next attempt to connect. */
const redialAfterMs = 1_000

/** If the store sends nothing for this time although an answer is due, the connection counts as lost. */
const longestSilenceMs = 10_000
const closedText = 'the connection to the store is closed'
const silentText = `the store has not answered for ${longestSilenceMs} ms`

/**
 * The connection of this process to the one that has the store open. A lost connection is opened again by the next
 * request, or after a pause if it is needed to hear of writes. All requests under way then fail, and nothing is
 * sent twice.
 *
 * States: closed → opening → open → closed …, and finally ended.
 */
export class DoorConnection {
  private frames: Frames | null = null
  /** The connection that waits for its first message. */
  private greeting: Frames | null = null
  private socket: Socket | null = null
  private opening: Promise<boolean> | null = null
  private isEnded = false
  private refusal: Error | null = null
  private lastId = 0
  private readonly pending = new Map<number, Pending>()
  private silence: { cancel(): void } | null = null
  private redial: { cancel(): void } | null = null
  private heardAtMs = 0

  constructor(private readonly options: DoorConnectionOptions) {}

  get isOpen(): boolean {
    return this.frames !== null
  }

  /** Returns false if the other process has another version. Rejects if no process has the store open. */
  open(): Promise<boolean> {
    if (this.refusal !== null) return Promise.reject(this.refusal)
    if (this.isEnded) return Promise.reject(new DoorLost(closedText, false, null))
    if (this.frames !== null) return Promise.resolve(true)
    return (this.opening ??= this.connect().finally(() => {
      this.opening = null
    }))
  }

  /** Sends a request. Rejects with `DoorLost`, or with the error of the method. */
  async call(method: string, ...args: readonly unknown[]): Promise<unknown> {
    return (await this.callSized(method, ...args)).answer
  }

  /** Sends a request, and returns the answer and the length of the request. Rejects as {@link call} does. */
  async callSized(method: string, ...args: readonly unknown[]): Promise<SizedAnswer> {
    // A connection that is open is used without a turn of the event loop between.
    if (this.frames === null) await this.opened()
    return new Promise<SizedAnswer>((resolve, reject) => {
      const { frames } = this
      if (frames === null) {
        reject(new DoorLost('the connection to the store was lost', false, null))
        return
      }
      this.lastId += 1
      const id = this.lastId
      const text = JSON.stringify([id, method, ...args])
      const pending: Pending = {
        resolve: (answer) => resolve({ answer, sentBytes: text.length }),
        reject,
        isSent: false,
      }
      this.pending.set(id, pending)
      if (this.pending.size === 1) this.startWaiting()
      frames.send(() => {
        pending.isSent = true
        return text
      })
    })
  }

  /** Sends a request without an answer, if the connection is open. */
  tell(method: string, ...args: readonly unknown[]): void {
    this.frames?.send(JSON.stringify([0, method, ...args]))
  }

  /** Ends the connection. All later calls fail with this error, and those under way as after any lost connection. */
  refuse(error: Error): void {
    this.refusal = error
    this.end()
  }

  end(): void {
    this.isEnded = true
    this.redial?.cancel()
    this.greeting?.end(null)
    this.frames?.end(null)
  }

  private async opened(): Promise<void> {
    const isOpen = await this.open().catch((error: unknown) => {
      if (error instanceof DoorLost || error === this.refusal) throw error
      throw new DoorLost('no process has the embedded store open', false, error, true)
    })
    if (!isOpen) throw new DoorLost('another version of stepward has the embedded store open', false, null)
  }

  private async connect(): Promise<boolean> {
    try {
      const socket = await this.options.dial()
      if (this.isEnded) {
        socket?.destroy()
        throw new DoorLost(closedText, false, null)
      }
      if (socket === null) {
        // The process with the other version may end.
        this.redialLater()
        return false
      }
      await this.greeted(socket)
      return true
    } catch (error) {
      this.redialLater()
      throw error
    }
  }

  /**
   * Waits for the first message, which says what the connection is for. Nothing is sent before, because the store may be another
   * one than that of the connection before.
   */
  private greeted(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      const frames = new Frames(socket, {
        maxBytes,
        readsWhileFull: true,
        onMessages: (messages) => {
          if (this.frames === frames) {
            this.receive(messages)
            return
          }
          silence.cancel()
          const refusal = this.options.onGreeting(messages[0] as DoorPush)
          if (refusal !== null) {
            this.refuse(refusal)
            return
          }
          this.hold(socket, frames)
          this.receive(messages.slice(1))
          resolve()
        },
        onEnd: (error) => {
          silence.cancel()
          if (this.frames === frames) this.lost(error)
          else
            reject(
              this.refusal ?? new DoorLost(error?.message ?? 'the store closed the connection', false, error),
            )
        },
      })
      this.greeting = frames
      const silence = this.options.clock.schedule(longestSilenceMs, () => {
        frames.end(new Error(silentText))
      })
    })
  }

  private hold(socket: Socket, frames: Frames): void {
    socket.unref()
    this.greeting = null
    this.socket = socket
    this.frames = frames
    this.options.onOpen()
  }

  private receive(messages: readonly unknown[]): void {
    this.heardAtMs = this.options.clock.monotonic()
    for (const message of messages) {
      const [first, value, error] = message as readonly unknown[]
      if (typeof first !== 'number') this.options.onPush(message as DoorPush)
      else this.settle(first, value, error)
    }
    if (this.pending.size === 0) this.stopWaiting()
  }

  private settle(id: number, value: unknown, error: unknown): void {
    const pending = this.pending.get(id)
    this.pending.delete(id)
    if (error === undefined) pending?.resolve(value)
    else pending?.reject(receivedError(error as Parameters<typeof receivedError>[0]))
  }

  private lost(cause: Error | null): void {
    this.frames = null
    this.socket = null
    this.stopWaiting()
    const all = [...this.pending.values()]
    this.pending.clear()
    for (const { reject, isSent } of all)
      reject(new DoorLost('the connection to the embedded store was lost', isSent, cause))
    this.redialLater()
  }

  private redialLater(): void {
    if (this.isEnded || !this.options.isNeeded()) return
    this.redial?.cancel()
    this.redial = this.options.clock.schedule(redialAfterMs, () => {
      this.open().catch(() => undefined)
    })
  }

  /** Keeps the process alive, and watches for the silence of a store that hangs. */
  private startWaiting(): void {
    this.socket?.ref()
    this.heardAtMs = this.options.clock.monotonic()
    this.watchSilence(longestSilenceMs)
  }

  private watchSilence(ms: number): void {
    const { clock } = this.options
    this.silence = clock.schedule(ms, () => {
      const left = this.heardAtMs + longestSilenceMs - clock.monotonic()
      if (left > 0) this.watchSilence(left)
      else this.frames?.end(new Error(silentText))
    })
  }

  private stopWaiting(): void {
    this.socket?.unref()
    this.silence?.cancel()
    this.silence = null
  }
}
