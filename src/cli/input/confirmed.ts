import { CliError, exitCodes } from '../output/cli-error.js'
import type { Terminal } from '../output/terminal.js'

export interface Sweeping {
  readonly all?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/**
 * Asks a person to confirm a command that affects everything. `what` completes the sentence “This affects …”.
 *
 * @throws CliError if the answer is no, or if there is no terminal and `--yes` is missing
 */
export async function confirmed(
  { all, yes, dryRun }: Sweeping,
  { what, isFiltered }: { readonly what: string; readonly isFiltered: boolean },
  terminal: Terminal,
): Promise<void> {
  if (all !== true || isFiltered || yes === true || dryRun === true) return
  if (!terminal.isInteractive) {
    throw new CliError(
      `--all affects ${what}: pass --yes to confirm, or --dry-run to see the effect first`,
      exitCodes.usage,
    )
  }
  if (await terminal.confirm(`This affects ${what}. Continue?`)) return
  throw new CliError('nothing was done, because you did not confirm it', exitCodes.usage)
}
