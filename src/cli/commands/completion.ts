import type { Command } from 'commander'
import { CliError, exitCodes } from '../output/cli-error.js'
import { completionScript, shells } from '../output/completion-script.js'
import type { Terminal } from '../output/terminal.js'

/** Prints the script with which a shell completes commands and options. */
export function completion(name: string, program: Command, terminal: Terminal): Promise<number> {
  const shell = shells.find((known) => known === name)
  if (shell === undefined) {
    const message = `shell ${JSON.stringify(name)} must be one of ${shells.join(', ')}`
    return Promise.reject(new CliError(message, exitCodes.usage))
  }
  terminal.print(completionScript(program, shell))
  return Promise.resolve(exitCodes.ok)
}
