import { realpathSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { platform } from 'node:process'
import { createDirectory } from '../../platform/internal.js'

/** An exclusive lock on a data directory, held until it is released. */
export interface DirectoryLock {
  release(): Promise<void>
}

export class DirectoryInUse extends Error {
  constructor(directory: string, by = 'another emulator') {
    super(`The data directory ${directory} is in use by ${by}. Stop that one, or choose another directory.`)
    this.name = 'DirectoryInUse'
  }
}

/** The length of the longest socket path that every system accepts, in bytes. */
const longestSocketPath = 100

const noLock: DirectoryLock = { release: () => Promise.resolve() }

/**
 * Locks a data directory by listening on a socket file in it. The system closes the socket when the process
 * ends, even after a crash. If a socket file exists but no process answers on it, a killed process left the
 * file there.
 *
 * The socket is checked before LMDB's table of readers. The table identifies processes by their ids, but two
 * Docker containers that share a directory may both run as process 1. On file systems without sockets, the
 * table is the only protection.
 */
export async function lockDirectory(dataDirectory: string): Promise<DirectoryLock> {
  createDirectory(dataDirectory)
  const directory = realpathSync(dataDirectory)
  const path = join(directory, 'in-use.sock')
  if (platform === 'win32' || Buffer.byteLength(path) > longestSocketPath) return noLock
  if (await isAnswered(path)) throw new DirectoryInUse(directory)
  rmSync(path, { force: true })
  const listening = await listenOn(path)
  if (listening === 'taken') throw new DirectoryInUse(directory)
  return listening === 'unsupported' ? noLock : { release: () => closed(listening) }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => {
      resolve(false)
    })
  })
}

function listenOn(path: string): Promise<Server | 'taken' | 'unsupported'> {
  return new Promise((resolve) => {
    // A client connects only to find out whether this process is running.
    const server = createServer((socket) => socket.on('error', () => undefined).end())
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
