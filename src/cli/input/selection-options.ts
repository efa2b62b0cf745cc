import type { Command } from 'commander'
import type { ProcessState } from '../../sas/index.js'

/** The options with which a command selects jobs. */
export interface SelectionOptions {
  readonly workflow?: string
  readonly state?: string
  readonly step?: string
  readonly since?: string
}

/** The states as the help lists them. Importing them would load another room, which takes too long for the help. */
const states: Readonly<Record<ProcessState, true>> = {
  Pending: true,
  Processing: true,
  Processed: true,
  Error: true,
  Compensating: true,
  Compensated: true,
}

/** Adds the options with which a command selects jobs. */
export function withSelection(command: Command): Command {
  return command
    .option('--workflow <name>', 'of this workflow only')
    .option('--state <state>', Object.keys(states).join(', '))
    .option('--step <step>', 'whose attention is about this step')
    .option('--since <when>', 'submitted since then: 30m, 2h, 1d, or 2026-01-31T12:00Z')
}
