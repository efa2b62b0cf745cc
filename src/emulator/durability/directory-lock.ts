import { closeSync, openSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { pid, platform } from 'node:process'
import { systemClock } from '../../platform/index.js'
import { createDirectory } from '../../platform/internal.js'

/** An exclusive lock on a data directory, held until it is released. */
export interface DirectoryLock {
  release(): Promise<void>
  /** Passes each connection of another process to `onConnection`. Until then, connections end at once. */
  serve(onConnection: (socket: Socket) => void): void
}

export class DirectoryInUse extends Error {
  constructor(directory: string, by = 'another emulator') {
    super(`The data directory ${directory} is in use by ${by}. Stop that one, or choose another directory.`)
    this.name = 'DirectoryInUse'
  }
}

/** The length of the longest socket path that every system accepts, in bytes. */
const longestSocketPath = 100

const noLock: DirectoryLock = { release: () => Promise.resolve(), serve: () => undefined }

/**
 * Locks a data directory by listening on a socket file in it. Other processes use the account through this
 * socket. The system closes the socket when the process
 * ends, even after a crash. If a socket file exists but no process answers on it, a killed process left the
 * file there.
 *
 * The socket is checked before LMDB's table of readers. The table identifies processes by their ids, but two
 * Docker containers that share a directory may both run as process 1. If the socket file cannot be used, the
 * table is the only protection.
 */
export async function lockDirectory(dataDirectory: string): Promise<DirectoryLock> {
  createDirectory(dataDirectory)
  const directory = realpathSync(dataDirectory)
  const path = socketPathOf(directory)
  if (path === null) return noLock
  const connections = { serve: (socket: Socket): void => void socket.destroy() }
  const endTurn = await beginTurn(directory)
  const listening = await listenAlone(path, (socket) => {
    connections.serve(socket)
  }).finally(endTurn)
  if (listening === 'taken') throw new DirectoryInUse(directory)
  if (listening === 'unsupported') return noLock
  noteHolder(directory)
  return {
    release: () => {
      rmSync(join(directory, holderFile), { force: true })
      return closed(listening)
    },
    serve: (onConnection) => {
      connections.serve = onConnection
    },
  }
}

/** Has the id of the process with the lock, for people: a process that is paused cannot tell it. A killed process leaves the file. */
const holderFile = 'in-use.pid'

function noteHolder(directory: string): void {
  try {
    writeFileSync(join(directory, holderFile), `${pid}`)
  } catch {
    // The lock does not need the file.
  }
}

/** Returns the id of the process that has taken the lock of a data directory last, or null if it is unknown. */
export function lastHolder(dataDirectory: string): number | null {
  try {
    const found = Number(readFileSync(join(dataDirectory, holderFile), 'utf8'))
    return Number.isSafeInteger(found) && found > 0 ? found : null
  } catch {
    return null
  }
}

/** The age at which the file of a turn belongs to a process that was killed. A turn takes some milliseconds. */
const longestTurnMs = 5_000

/** The pause between two tries to get a turn, or a lock that another process may give up in a moment. */
const tryAgainMs = 20

/**
 * Begins the turn of this process to look for a socket and to replace it. Without turns, two processes could remove each
 * other's sockets. Waits for the turn of another process. Returns the function that ends the turn.
 */
async function beginTurn(directory: string): Promise<() => void> {
  const path = join(directory, 'in-use.turn')
  for (;;) {
    try {
      closeSync(openSync(path, 'wx'))
      return () => rmSync(path, { force: true })
    } catch (error) {
      // Where no file can be created, no socket can be created either.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return () => undefined
    }
    const found = statSync(path, { throwIfNoEntry: false })
    // The clock of the machine may have been corrected since.
    const isOld = found !== undefined && Math.abs(systemClock.now() - found.mtimeMs) > longestTurnMs
    if (isOld) rmSync(path, { force: true })
    else await systemClock.sleep(tryAgainMs)
  }
}

/**
 * Locks a data directory that LMDB shows as unused. A process that opens it at the same moment may hold the lock until it
 * sees that LMDB has the directory open, so the lock is tried again for a while.
 */
export async function lockUnused(directory: string): Promise<DirectoryLock> {
  const begunMs = systemClock.monotonic()
  for (;;) {
    try {
      return await lockDirectory(directory)
    } catch (error) {
      if (systemClock.monotonic() - begunMs > longestOpeningMs) throw error
      await systemClock.sleep(tryAgainMs)
    }
  }
}

/** The time that a process has to see that another process has the directory open. */
const longestOpeningMs = 2_000

/** Listens on the socket, unless a process answers on it already. */
async function listenAlone(
  path: string,
  onConnection: (socket: Socket) => void,
): ReturnType<typeof listenOn> {
  if (await isAnswered(path)) return 'taken'
  rmSync(path, { force: true })
  return listenOn(path, onConnection)
}

/** Returns the path of the socket in a data directory, or null if the system does not support the socket. */
export function socketPathOf(directory: string): string | null {
  const path = join(directory, 'in-use.sock')
  return platform === 'win32' || Buffer.byteLength(path) > longestSocketPath ? null : path
}

/** The errors of a connection to a socket on which no process listens. A process that is paused gives others. */
const notListening: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT'])

/** Checks whether a process listens on a socket, even if it is too busy to take the connection. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      resolve(!notListening.has(code))
    })
  })
}

function listenOn(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<Server | 'taken' | 'unsupported'> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      onConnection(socket.on('error', () => undefined))
    })
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code === 'EADDRINUSE' ? 'taken' : 'unsupported')
    })
    server.listen(path, () => {
      server.unref()
      resolve(server)
    })
  })
}

/** Closes the server, which also removes the socket file. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
  })
}
