import { errorMessage } from '../../platform/internal.js'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { fileTrouble } from './file-trouble.js'
import { CliError, exitCodes } from './cli-error.js'

export interface JsonLine {
  /** The number of the line, counted from 1. Blank lines count too. */
  readonly line: number
  readonly value: unknown
}

/**
 * Reads a JSON Lines file in UTF-8, or standard input if `path` is `-`. Blank lines are allowed.
 *
 * @throws CliError with the number of the first line that is not JSON
 */
export async function readJsonLines(path: string): Promise<readonly JsonLine[]> {
  const content = path === '-' ? await text(process.stdin) : await readText(path)
  return content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((lineText, index): JsonLine[] => {
      if (lineText.trim() === '') return []
      return [{ line: index + 1, value: parse(lineText, `${path} line ${index + 1}`) }]
    })
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const message = `file ${path} could not be read: ${fileTrouble(error)}`
    throw new CliError(message, exitCodes.usage, { cause: error })
  }
}

function parse(lineText: string, where: string): unknown {
  try {
    return JSON.parse(lineText)
  } catch (error) {
    const why = errorMessage(error)
    throw new CliError(`${where} is not JSON (${why}), so nothing was submitted`, exitCodes.usage, {
      cause: error,
    })
  }
}
