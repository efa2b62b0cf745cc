import { CliError, exitCodes } from '../output/cli-error.js'
import type { Terminal } from '../output/terminal.js'

/** Options of a command that may affect all jobs. */
export interface Sweeping {
  readonly all?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/**
 * Asks a person to confirm a command that affects everything. `what` completes the sentence “This concerns …”.
 *
 * @throws CliError when the answer is no, or when there is no terminal to ask on and `--yes` is missing
 */
export async function confirmed(
  { all, yes, dryRun }: Sweeping,
  { what, isFiltered }: { readonly what: string; readonly isFiltered: boolean },
  terminal: Terminal,
): Promise<void> {
  if (all !== true || isFiltered || yes === true || dryRun === true) return
  if (!terminal.isInteractive) {
    throw new CliError(
      `--all means ${what}: pass --yes to confirm it, or --dry-run to see it first`,
      exitCodes.usage,
    )
  }
  if (await terminal.confirm(`This concerns ${what}. Go on?`)) return
  throw new CliError('nothing was done: it was not confirmed', exitCodes.usage)
}
