import { Option, type Command } from 'commander'
import { stateNames, withValues } from './named-values.js'

export interface SelectionOptions {
  readonly workflow?: string
  readonly state?: string
  readonly step?: string
  readonly since?: string
}

export function withSelection(command: Command): Command {
  return command
    .option('--workflow <name>', 'of this workflow only')
    .addOption(withValues(new Option('--state <state>', 'in this state'), stateNames))
    .option('--step <step>', 'whose attention is about this step')
    .option('--since <when>', 'submitted since then: 30m, 2h, 1d, or 2026-01-31T12:00Z')
}
