import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../connection/internal.js'
import type { InProcessCosmos } from '../../emulator/index.js'
import { systemClock, type Clock } from '../../platform/index.js'
import { BackgroundLoop, errorMessage } from '../../platform/internal.js'
import { folder, type PayloadStore } from '../../sas/index.js'
import { CliError, exitCodes } from '../output/cli-error.js'

const codesOfFiles = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EEXIST', 'ENOTDIR', 'ENOSPC']

const advice = 'name a directory that this account may write to; a missing one is created'

/** @throws CliError if `--data` names a file */
export function refuseFile(data: string): void {
  if (isFile(data)) throw new CliError(`--data ${data} is a file: ${advice}`, exitCodes.usage)
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false
  } catch {
    // What opens the path reports why it cannot be used.
    return false
  }
}

/**
 * Calls `open`, which opens the embedded store in this directory.
 *
 * @throws CliError if the directory cannot be used for a store
 */
export async function openingData<T>(data: string, open: () => T | Promise<T>): Promise<T> {
  refuseFile(data)
  try {
    return await open()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const isOfFiles = codesOfFiles.some((known) => known === code)
    if (!isOfFiles || !(error instanceof Error)) throw error
    throw new CliError(`--data ${data} cannot be used (${error.message}): ${advice}`, exitCodes.usage, {
      cause: error,
    })
  }
}

/** Returns the payload store of a state container of the embedded store in this directory. */
export function payloadFolder(
  dataDirectory: string,
  { database = 'stepward', container = 'state' }: Pick<Settings, 'database' | 'container'>,
): PayloadStore {
  return folder(join(dataDirectory, 'payloads', encodeURIComponent(`${database}.${container}`)))
}

/** Checks whether this directory holds an embedded store. */
export function holdsStore(data: string): boolean {
  return existsSync(join(data, 'data.mdb'))
}

/** Opens the embedded store in this directory, and serves it to other processes of this machine. */
export async function openedStore(data: string): Promise<InProcessCosmos> {
  const { openInProcessCosmos } = await import('../../emulator/doors/in-process-cosmos.js')
  const { serveDoor } = await import('../../engine-ports/index.js')
  const embedded = await openingData(data, () => openInProcessCosmos({ dataDirectory: data }))
  serveDoor(embedded)
  return embedded
}

/** The pause between two looks at the data directory. */
const lookEveryMs = 5_000

/**
 * Warns if the directory with the store that this process has open is moved, removed or replaced, and again each hour. Such a process
 * goes on with the store that was there, and other processes no longer find it.
 */
export function watchedDirectory(data: string, clock: Clock = systemClock): Pick<BackgroundLoop, 'stop'> {
  const identity = (): string => {
    const found = statSync(join(data, 'data.mdb'), { throwIfNoEntry: false })
    return found === undefined ? '' : `${found.dev} ${found.ino}`
  }
  const begun = identity()
  const loop = new BackgroundLoop({
    clock,
    turn: async () => {
      if (identity() === begun) return lookEveryMs
      const still = 'this process still has the store that was there, and other processes no longer find it'
      process.emitWarning(
        `--data ${data} was moved, removed or replaced: ${still}. Stop this process and start it again`,
      )
      return restMs
    },
    onError: () => lookEveryMs,
  })
  loop.start()
  return loop
}

/** The pause before another try to open the store, and the one after the connection to its process has ended. */
const [tryAgainMs, soonMs] = [1_000, 100]
/** When this process has the store open, there is nothing to do. */
const restMs = 3_600_000

/** What a successor knows of the process that has the store open. */
export interface StoreHolding {
  /** Checks whether another process has the store open. */
  isOpen(): Promise<boolean>
  /** Resolves when that process may have ended, or when the signal aborts. */
  closed(signal: AbortSignal): Promise<void>
}

/**
 * Opens the embedded store as soon as the process that has it open ends, so that the processes that use it through its
 * socket continue. Waits at a connection to that process, which costs nothing. Warns once if the store cannot be opened.
 *
 * States: idle → looking (`start`) → holding → ended (`end`).
 */
export class StoreSuccessor {
  private own: InProcessCosmos | null = null
  private watch: Pick<BackgroundLoop, 'stop'> | null = null
  private readonly loop: BackgroundLoop
  private warned = ''

  /** @param data the absolute path of the data directory, because agents may change the working directory */
  constructor(
    private readonly data: string,
    private readonly holding: StoreHolding,
  ) {
    this.loop = new BackgroundLoop({
      clock: systemClock,
      turn: (signal) => this.look(signal),
      onError: (error) => {
        this.warn(error)
        return tryAgainMs
      },
    })
  }

  private async look(signal: AbortSignal): Promise<number> {
    if (this.own !== null) return restMs
    if (await this.holding.isOpen()) {
      await this.holding.closed(signal)
      return soonMs
    }
    // A directory that was removed is not created again.
    if (signal.aborted || !holdsStore(this.data)) return tryAgainMs
    this.own = await openedStore(this.data)
    this.watch = watchedDirectory(this.data)
    return restMs
  }

  private warn(error: unknown): void {
    const message = errorMessage(error)
    // Another process was faster.
    if (this.warned === message || (error instanceof Error && error.name === 'DirectoryInUse')) return
    this.warned = message
    process.emitWarning(`--data ${this.data} cannot be opened: ${message}`)
  }

  start(): void {
    this.loop.start()
  }

  async end(): Promise<void> {
    await this.loop.stop()
    await this.watch?.stop()
    await this.own?.close()
  }
}
