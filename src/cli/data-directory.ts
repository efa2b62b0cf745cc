import { statSync } from 'node:fs'
import { CliError, exitCodes } from './cli-error.js'

/**
 * What `open` answers, which opens the embedded store of this directory.
 *
 * @throws CliError when the directory cannot be one of a store
 */
export async function openingData<T>(data: string, open: () => T | Promise<T>): Promise<T> {
  const advice = 'name a directory that this account may write to; it is made where it is missing'
  if (statSync(data, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new CliError(`--data ${data} is a file: ${advice}`, exitCodes.usage)
  }
  try {
    return await open()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const isOfFiles = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ENOSPC'].some(
      (known) => known === code,
    )
    if (!isOfFiles || !(error instanceof Error)) throw error
    throw new CliError(`--data ${data} cannot be used (${error.message}): ${advice}`, exitCodes.usage, {
      cause: error,
    })
  }
}
