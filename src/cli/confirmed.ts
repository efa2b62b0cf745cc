import { CliError, exitCodes } from './cli-error.js'
import type { Terminal } from './terminal.js'

/** A command that may be about everything. */
export interface Sweeping {
  readonly all?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/**
 * Has a person confirm what is about to be done to everything: `what` completes “is about”.
 *
 * @throws CliError when it is not wanted, or no one can be asked and `--yes` is missing
 */
export async function confirmed(
  { all, yes, dryRun }: Sweeping,
  { what, isFiltered }: { readonly what: string; readonly isFiltered: boolean },
  terminal: Terminal,
): Promise<void> {
  if (all !== true || isFiltered || yes === true || dryRun === true) return
  if (!terminal.isInteractive) {
    throw new CliError(
      `--all is about ${what}: pass --yes to confirm it, or --dry-run to see it first`,
      exitCodes.usage,
    )
  }
  if (await terminal.confirm(`This is about ${what}. Go on?`)) return
  throw new CliError('nothing was done: it was not confirmed', exitCodes.usage)
}
