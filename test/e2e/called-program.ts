import { exitCodeOf } from '../../src/cli/output/cli-error.js'
import { programOf } from '../../src/cli/program.js'
import { shown } from '../../src/cli/output/terminal.js'
import type { Ended } from './processes.js'

/** Where a command is called: the folder, and the store that the environment names. */
export interface CallPlace {
  readonly directory: string
  readonly endpoint: string
}

/**
 * Runs `stepward` with these words in this process, because a short command spends most of its time starting
 * Node. Returns its output and exit code. A command that loads a user's module or ends its process needs a
 * new process.
 */
export async function callProgram(
  words: readonly string[],
  place: CallPlace,
): Promise<Omit<Ended, 'signal'>> {
  const said = { stdout: '', stderr: '' }
  const terminal = {
    print: (text: string) => void (said.stdout += `${shown(text, false)}\n`),
    note: (text: string) => void (said.stderr += `${shown(text, false)}\n`),
    progress: () => undefined,
    progressDone: () => undefined,
    isInteractive: false,
    width: 80,
    tableWidth: 80,
    confirm: () => Promise.resolve(false),
    height: 24,
  }
  let code = 0
  const ending = async (run: Promise<number>): Promise<void> => void (code = await run)
  const [folder, endpoint] = [process.cwd(), process.env['COSMOS_ENDPOINT']]
  process.chdir(place.directory)
  process.env['COSMOS_ENDPOINT'] = place.endpoint
  try {
    await programOf({ version: '0', terminal, ending }).parseAsync(words, { from: 'user' })
  } catch (error) {
    code = exitCodeOf(error)
    said.stderr += `${String(error)}\n`
  } finally {
    process.chdir(folder)
    if (endpoint === undefined) delete process.env['COSMOS_ENDPOINT']
    else process.env['COSMOS_ENDPOINT'] = endpoint
  }
  return { code, ...said }
}

/**
 * Returns the words of a command as a shell reads them, or null if it uses more of a shell than double
 * quotes.
 */
export function plainWords(command: string): readonly string[] | null {
  const prefix = 'npx stepward '
  if (!command.startsWith(prefix) || /[|$<>&;'\\]/u.test(command)) return null
  const words = command.slice(prefix.length).matchAll(/"([^"]*)"|(\S+)/gu)
  return [...words].map(([, quoted, plain = '']) => quoted ?? plain)
}
