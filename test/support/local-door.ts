import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createInProcessCosmos } from '../../src/emulator/index.js'
import { enginePorts, serveDoor } from '../../src/engine-ports/index.js'
import { openDoor, type DoorAccount, type DoorPorts } from '../../src/engine-ports/internal.js'
import { seededRandom, systemClock, type Clock } from '../../src/platform/index.js'
import { scratchDirectory } from './scratch-directory.js'

/** The protocol that `serveDoor` passes to an account. */
interface Protocol {
  readonly name: string
  serve(connection: { readonly socket: Duplex; readonly parameters: URLSearchParams }): void
}

/** An account whose door is open, and what lies between it and the process that attaches. */
export interface ServedDoor extends DoorAccount {
  /** The sockets of the store, the newest last. */
  readonly accepted: readonly Socket[]
  /** The sockets of the attached process, the newest last. */
  readonly dialed: readonly Socket[]
  close(): Promise<void>
}

/** Serves the door of an account on a socket, without a data directory. */
export async function servedDoor(account: { readonly engine: object }): Promise<ServedDoor> {
  let protocol: Protocol | null = null
  serveDoor({ engine: account.engine, localDoor: { open: (opened: Protocol) => (protocol = opened) } })
  const accepted: Socket[] = []
  const dialed: Socket[] = []
  const waiting: URLSearchParams[] = []
  const server: Server = createServer((socket) => {
    accepted.push(socket)
    protocol?.serve({ socket: socket.unref(), parameters: waiting.shift() ?? new URLSearchParams() })
  })
  const path = join(scratchDirectory(), 'door.sock')
  server.listen(path).unref()
  await once(server, 'listening')
  return {
    accepted,
    dialed,
    dial: async (name, parameters) => {
      if (name !== protocol?.name) return null
      const socket = connect(path)
      waiting.push(new URLSearchParams(parameters))
      await once(socket, 'connect')
      dialed.push(socket)
      return socket
    },
    close: async () => {
      for (const socket of accepted) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Opens the ports of the containers `state` and `leases` in the database `stepward`, or of these names. */
export async function portsThrough(
  door: DoorAccount,
  {
    clock = systemClock,
    onCharge = () => undefined,
    ...names
  }: {
    readonly clock?: Clock
    readonly onCharge?: (operation: string, charge: number, user?: string) => void
    readonly database?: string
    readonly container?: string
  } = {},
): Promise<DoorPorts> {
  const all = { database: 'stepward', container: 'state', leaseContainer: 'leases', accountHost: 'embedded' }
  const ports = await openDoor(door, { names: { ...all, ...names }, clock, onCharge })
  if (ports === null) throw new Error('the store has another version')
  return ports
}

/**
 * Opens the ports of a process that is attached to a new store with the containers `state` and `leases`. Returns them with the
 * store, the state store of another process beside it, the operations that the process pays for, and the bytes that it receives.
 */
export async function attachedProcess() {
  const cosmos = createInProcessCosmos({ random: seededRandom(1) })
  cosmos.engine.createDatabase('stepward')
  const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 }
  cosmos.engine.createContainer('stepward', { id: 'state', partitionKey, defaultTtl: -1 })
  cosmos.engine.createContainer('stepward', { id: 'leases', partitionKey: { paths: ['/id'] } })
  const door = await servedDoor(cosmos)
  const charges: string[] = []
  const ports = await portsThrough(door, { onCharge: (operation) => charges.push(operation) })
  onTestFinished(() => {
    ports.close()
  })
  const received = (): number => door.dialed.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  const beside = enginePorts(cosmos.engine, 'stepward').stateStore('state')
  return { cosmos, door, ports, beside, charges, received }
}
