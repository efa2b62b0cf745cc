import type { Command } from 'commander'
import { exitCodes } from '../output/cli-error.js'
import type { Shell } from '../output/shells.js'
import { completionScript } from '../output/completion-script.js'
import type { Terminal } from '../output/terminal.js'

/** Prints the script with which a shell completes commands, options and values. */
export function completion(shell: Shell, program: Command, terminal: Terminal): Promise<number> {
  terminal.print(completionScript(program, shell))
  return Promise.resolve(exitCodes.ok)
}
