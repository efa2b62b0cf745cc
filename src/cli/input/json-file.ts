import { readFile } from 'node:fs/promises'
import { errorMessage } from '../../platform/internal.js'
import { CliError, exitCodes } from '../output/cli-error.js'

/** Reads the JSON file of an option. Throws if the file cannot be read, or is not JSON. */
export async function readJsonFile(option: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown
  } catch (error) {
    const message = `${option} ${path} could not be read as JSON: ${fileTrouble(error)}`
    throw new CliError(message, exitCodes.usage, { cause: error })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory; name a file',
  EACCES: 'this account may not read it',
}

/** Says in a few words why a file could not be read. */
export function fileTrouble(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? errorMessage(error)
}
