import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../connection/internal.js'
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
