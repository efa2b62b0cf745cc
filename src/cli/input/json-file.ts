import { readFile } from 'node:fs/promises'
import { CliError, exitCodes } from '../output/cli-error.js'
import { fileTrouble } from '../output/file-trouble.js'

/** Reads the JSON file of an option. Throws if the file cannot be read, or is not JSON. */
export async function readJsonFile(option: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown
  } catch (error) {
    const message = `${option} ${path} could not be read as JSON: ${fileTrouble(error)}`
    throw new CliError(message, exitCodes.usage, { cause: error })
  }
}
