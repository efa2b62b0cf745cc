import { rm } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { z } from 'zod'
import { FleetNotRunning } from './errors.js'
import type { RoleBacklog } from './fleet-leases.js'

const requestSchema = z.discriminatedUnion('command', [
  z.strictObject({ command: z.literal('scale'), role: z.string(), count: z.number().int().min(0).max(256) }),
  z.strictObject({ command: z.literal('rebalance'), role: z.string().optional() }),
  z.strictObject({ command: z.literal('stop') }),
  z.strictObject({ command: z.literal('status') }),
  z.strictObject({ command: z.literal('counts') }),
])

/** A request from another terminal to a running fleet. */
export type FleetRequest = z.infer<typeof requestSchema>

/** A process of a fleet, as commands show it. */
export interface FleetRow {
  readonly role: string
  readonly instanceName: string
  readonly processId: number | null
  readonly state: 'starting' | 'running' | 'stopping' | 'silent'
  readonly upMs: number
  readonly leases: number | null
  readonly residentBytes: number | null
  /** The share of one core since the previous request for figures, or since the start of the process. */
  readonly cpuShare: number | null
}

/** The store of a fleet, by the options of commands, without secrets. */
export interface FleetStore {
  readonly data?: string
  readonly endpoint?: string
  readonly database?: string
  readonly container?: string
  readonly leaseContainer?: string
}

/**
 * A fleet, as commands show it. Only the answer to `status` has leases and backlog. Only the answers to `status` and
 * `rebalance` have rows.
 */
export interface FleetStatus {
  readonly processId: number
  /** The requested number of processes, by role. */
  readonly wanted: Readonly<Record<string, number>>
  /** Missing if the fleet has an older version. */
  readonly store?: FleetStore
  /**
   * The number of leases of each role, or null if the store did not answer. Instances beyond this number are
   * spares.
   */
  readonly leases: Readonly<Record<string, number | null>>
  /** The backlog of each role of the pattern; empty if the store does not answer. */
  readonly backlog: readonly RoleBacklog[]
  readonly rows: readonly FleetRow[]
}

export type FleetAnswer =
  { readonly kind: 'done'; readonly status: FleetStatus } | { readonly kind: 'refused'; readonly why: string }

/**
 * Listens for requests from other terminals of this user. Other users cannot connect, because only this user
 * may enter the socket's folder. Each connection carries one request and one answer, each a JSON value.
 */
export async function listenForRequests(
  path: string,
  handle: (request: FleetRequest) => Promise<FleetAnswer>,
): Promise<Server> {
  if (process.platform !== 'win32' && !(await isAnswered(path))) await rm(path, { force: true })
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // A client that disconnects early needs no answer.
    socket.on('error', () => undefined)
    serve(socket, handle).catch(() => socket.destroy())
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve(server))
  })
}

async function serve(socket: Socket, handle: (request: FleetRequest) => Promise<FleetAnswer>): Promise<void> {
  const read = requestSchema.safeParse(JSON.parse(await received(socket)))
  const answer: FleetAnswer = read.success
    ? await handle(read.data)
    : {
        kind: 'refused',
        why: 'the running fleet has another version of stepward, which does not know this command',
      }
  socket.end(JSON.stringify(answer))
}

/**
 * Returns all data that the other side sends. Does not iterate over the socket, because that would close the
 * socket before the answer is sent.
 */
function received(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => (said += chunk))
    socket.once('end', () => resolve(said))
    socket.once('error', reject)
  })
}

/** Checks whether a fleet listens at `path`. A socket that a killed fleet left behind does not answer. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** The time after which a fleet counts as away. A scaled fleet answers within seconds, even if the store is away. */
const answerWithinMs = 30_000

/** @throws FleetNotRunning if no fleet listens at `path`, or if it does not answer */
export async function askFleet(path: string, request: FleetRequest): Promise<FleetAnswer> {
  const socket = createConnection({ path, allowHalfOpen: true })
  // A fleet stops only when the work under way has ended, which may take as long as its stop budget.
  if (request.command !== 'stop') {
    socket.setTimeout(answerWithinMs, () => socket.destroy(new Error('no answer')))
  }
  socket.end(JSON.stringify(request))
  try {
    return JSON.parse(await received(socket)) as FleetAnswer
  } catch (error) {
    throw new FleetNotRunning(path, { cause: error })
  }
}
