import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { platform } from 'node:process'

/** A data directory that nobody else may use until it is released. */
export interface DirectoryLock {
  release(): Promise<void>
}

/** Somebody else has the directory. */
export class DirectoryInUse extends Error {
  constructor(directory: string) {
    super(
      `The data directory ${directory} is in use by another emulator. Stop that one, or choose another directory.`,
    )
    this.name = 'DirectoryInUse'
  }
}

/** The address of a socket holds no more, on any system. */
const longestSocketPath = 100

const noLock: DirectoryLock = { release: () => Promise.resolve() }

/**
 * Holds a data directory by a socket in it that this process listens on: the system ends that with the process, however
 * it ends, and a socket file that nobody answers on is left over from one that was killed.
 *
 * It stands before the table of readers that LMDB keeps, which knows processes by their ids: two containers that share a
 * directory may both run as process 1. Where a file system has no sockets, that table is all there is.
 */
export async function lockDirectory(dataDirectory: string): Promise<DirectoryLock> {
  mkdirSync(dataDirectory, { recursive: true })
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
    // Whoever connects only wants to know that we are here.
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

/** Removes the socket file, too. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
  })
}
