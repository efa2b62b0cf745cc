import { connect } from 'node:net'
import { systemClock } from '../../../src/platform/index.js'

/** How a client ends its side: it waits for the answer, closes its own direction, or cuts the connection. */
export type Ending = 'waits' | 'half-closes' | 'cuts'

/** Bytes that a client sends on a connection of their own. */
export interface Sending {
  /** The client pauses between the parts. */
  readonly parts: readonly Buffer[]
  readonly ending: Ending
}

/** What the server sent until it closed the connection. */
export interface Received {
  readonly bytes: Buffer
  readonly elapsedMs: number
  /** Whether the server kept the connection open without an answer until the client gave up. */
  readonly isUnanswered: boolean
}

/** The time after which a client gives up. On a busy machine, a query of 3 s can take minutes. */
const patienceMs = 600_000

const pauseMs = 20

/** Sends bytes and collects everything that the server sends until it closes the connection. */
export function exchange(port: number, { parts, ending }: Sending): Promise<Received> {
  return new Promise((resolve) => {
    const start = systemClock.now()
    const chunks: Buffer[] = []
    let isUnanswered = false
    const socket = connect(port, '127.0.0.1')
    socket.setTimeout(patienceMs, () => {
      isUnanswered = true
      socket.destroy()
    })
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A connection that is reset is closed as well.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      resolve({ bytes: Buffer.concat(chunks), elapsedMs: systemClock.now() - start, isUnanswered })
    })
    const send = async (): Promise<void> => {
      for (const [index, part] of parts.entries()) {
        if (index > 0) await systemClock.sleep(pauseMs)
        if (socket.writable) socket.write(part)
      }
      if (ending === 'half-closes') socket.end()
      if (ending === 'cuts') socket.resetAndDestroy()
    }
    socket.on('connect', () => {
      send().catch(() => socket.destroy())
    })
  })
}
