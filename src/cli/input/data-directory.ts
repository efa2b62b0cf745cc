import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../connection/internal.js'
import type { InProcessCosmos } from '../../emulator/index.js'
import { systemClock } from '../../platform/index.js'
import { BackgroundLoop } from '../../platform/internal.js'
import { folder, type PayloadStore } from '../../sas/index.js'
import { CliError, exitCodes } from '../output/cli-error.js'

const codesOfFiles = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EEXIST', 'ENOTDIR', 'ENOSPC']

/**
 * Calls `open`, which opens the embedded store in this directory.
 *
 * @throws CliError if the directory cannot be used for a store
 */
export async function openingData<T>(data: string, open: () => T | Promise<T>): Promise<T> {
  const advice = 'name a directory that this account may write to; a missing one is created'
  try {
    if (statSync(data, { throwIfNoEntry: false })?.isDirectory() === false) {
      throw new CliError(`--data ${data} is a file: ${advice}`, exitCodes.usage)
    }
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

/** Opens the embedded store in this directory, and serves it to other processes of this machine. */
export async function openedStore(data: string): Promise<InProcessCosmos> {
  const { openInProcessCosmos } = await import('../../emulator/doors/in-process-cosmos.js')
  const { serveDoor } = await import('../../engine-ports/index.js')
  const embedded = await openingData(data, () => openInProcessCosmos({ dataDirectory: data }))
  serveDoor(embedded)
  return embedded
}

/** The pause between two looks at the process that has the store open. */
const lookEveryMs = 1_000

/**
 * Opens the embedded store as soon as the process that has it open ends, so that the processes that use it through its
 * socket continue.
 *
 * States: idle → looking (`start`) → holding → ended (`end`).
 */
export class StoreSuccessor {
  private own: InProcessCosmos | null = null
  private readonly loop: BackgroundLoop

  constructor(
    data: string,
    /** Checks whether another process has the store open. */
    isOpenElsewhere: () => Promise<boolean>,
  ) {
    this.loop = new BackgroundLoop({
      clock: systemClock,
      turn: async () => {
        if (this.own === null && !(await isOpenElsewhere())) this.own = await openedStore(data)
        return lookEveryMs
      },
      // Another process was faster, or the directory cannot be used at the moment.
      onError: () => lookEveryMs,
    })
  }

  start(): void {
    this.loop.start()
  }

  async end(): Promise<void> {
    await this.loop.stop()
    await this.own?.close()
  }
}
