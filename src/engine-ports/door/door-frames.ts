import type { Duplex } from 'node:stream'
import { afterThisTurn } from '../../platform/internal.js'

/** A message as JSON text, or a function that returns the text when the frame is written. */
export type MessageText = string | (() => string)

/** What the owner of a stream of frames provides. */
export interface FramesOptions {
  /** The size of the largest frame that is read, in bytes. A larger frame ends the connection. */
  readonly maxBytes: number
  /**
   * Whether requests are read while the other side does not read. If both sides stopped, neither would ever
   * continue, so only the store stops.
   */
  readonly readsWhileFull: boolean
  onMessages(messages: readonly unknown[]): void
  /** Called when the socket has taken all messages. */
  onSent?(): void
  /** Called once when the connection has ended, with the error if there is one. */
  onEnd(error: Error | null): void
}

/** The size of a frame beyond which the next messages go into another frame. */
const fullFrameBytes = 4 * 1024 * 1024

/**
 * The number of messages at which a frame leaves before the turn of the event loop ends. Otherwise a process that
 * handles many changes in one turn would keep all its writes until the end. The process and the store would then not
 * work at the same time.
 */
const messagesAtOnce = 32

const headerBytes = 4

/**
 * Messages over a connection, in frames: the length in four bytes, and then a JSON array of messages. A frame leaves at the
 * end of a turn of the event loop, or when it has `messagesAtOnce` messages. While the other side does not read, messages are
 * kept. The store then reads no more requests, so a slow process cannot make the store keep an unlimited amount.
 *
 * States: open → ended.
 */
export class Frames {
  private outgoing: MessageText[] = []
  private outgoingLength = 0
  private isFlushDue = false
  private isBlocked = false
  private isEnded = false
  private incoming: Buffer[] = []
  private incomingBytes = 0

  constructor(
    private readonly socket: Duplex,
    private readonly options: FramesOptions,
  ) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.on('drain', () => {
      this.isBlocked = false
      socket.resume()
      this.finish()
    })
    socket.on('error', (error) => this.end(error))
    socket.on('close', () => this.end(null))
  }

  /** The size of the messages that the other side has not taken, in bytes. Characters count as one byte. */
  get unsentBytes(): number {
    return this.outgoingLength + this.socket.writableLength
  }

  send(message: MessageText): void {
    this.outgoing.push(message)
    if (typeof message === 'string') this.outgoingLength += message.length
    if (this.outgoing.length >= messagesAtOnce) this.flush()
    if (this.isFlushDue) return
    this.isFlushDue = true
    afterThisTurn(() => {
      this.isFlushDue = false
      this.finish()
    })
  }

  end(error: Error | null): void {
    if (this.isEnded) return
    this.isEnded = true
    this.outgoing = []
    this.incoming = []
    this.socket.destroy()
    this.options.onEnd(error)
  }

  /** Sends all messages, and then calls `onSent`. `send` must not call this method, because `onSent` may send more. */
  private finish(): void {
    this.flush()
    if (!this.isBlocked && !this.isEnded) this.options.onSent?.()
  }

  private flush(): void {
    while (!this.isBlocked && !this.isEnded && this.outgoing.length > 0) {
      const texts: string[] = []
      for (let length = 0; length < fullFrameBytes;) {
        const next = this.outgoing[texts.length]
        if (next === undefined) break
        const text = typeof next === 'string' ? next : next()
        if (typeof next === 'string') this.outgoingLength -= text.length
        texts.push(text)
        length += text.length
      }
      this.outgoing.splice(0, texts.length)
      this.write(`[${texts.join(',')}]`)
    }
  }

  private write(body: string): void {
    const bytes = Buffer.byteLength(body)
    const frame = Buffer.allocUnsafe(headerBytes + bytes)
    frame.writeUInt32LE(bytes)
    frame.write(body, headerBytes)
    // The socket may ask for a pause although the other side has room for the whole frame.
    if (this.socket.write(frame) || this.socket.writableLength === 0) return
    this.isBlocked = true
    if (!this.options.readsWhileFull) this.socket.pause()
  }

  private receive(chunk: Buffer): void {
    this.incoming.push(chunk)
    this.incomingBytes += chunk.length
    while (!this.isEnded) {
      const body = this.nextFrame()
      if (body === null) return
      const messages = messagesIn(body)
      if (messages === null)
        this.end(new Error('the other process sent a frame that is not a list of messages'))
      else this.options.onMessages(messages)
    }
  }

  /** Removes and returns the next complete frame, or returns null. */
  private nextFrame(): Buffer | null {
    if (this.incomingBytes < headerBytes) return null
    const [first] = this.incoming
    if (first === undefined || first.length < headerBytes) this.incoming = [Buffer.concat(this.incoming)]
    const length = this.incoming[0]?.readUInt32LE(0) ?? 0
    if (length > this.options.maxBytes) {
      const rule = `the limit is ${this.options.maxBytes}`
      this.end(new Error(`the other process sent a frame of ${length} bytes; ${rule}`))
      return null
    }
    const whole = headerBytes + length
    if (this.incomingBytes < whole) return null
    const all = this.incoming.length === 1 ? (this.incoming[0] ?? Buffer.of()) : Buffer.concat(this.incoming)
    const rest = all.subarray(whole)
    this.incoming = rest.length === 0 ? [] : [rest]
    this.incomingBytes = rest.length
    return all.subarray(headerBytes, whole)
  }
}

function messagesIn(body: Buffer): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return Array.isArray(parsed) ? parsed : null
  } catch {
    return null
  }
}
