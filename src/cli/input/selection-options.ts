import { Option, type Command } from 'commander'
import { collected } from './collected.js'
import { stateNames, waitNames, withValues } from './named-values.js'

export interface SelectionOptions {
  readonly workflow?: string
  readonly state?: string
  readonly step?: string
  readonly since?: string
  readonly until?: string
  readonly tag?: readonly string[]
  readonly text?: string
  readonly waitingFor?: string
  readonly agent?: string
  readonly took?: string
}

/** Checks whether the options choose among the jobs. `step` can also name a step of one job. */
export function isSelected(options: SelectionOptions): boolean {
  const { workflow, state, since, until, tag, text, waitingFor, agent, took } = options
  return [workflow, state, since, until, tag, text, waitingFor, agent, took].some(
    (value) => value !== undefined,
  )
}

export function withSelection(command: Command): Command {
  return command
    .option('--workflow <name>', 'only jobs of this workflow')
    .addOption(withValues(new Option('--state <state>', 'only jobs in this state'), stateNames))
    .option('--step <step>', 'only jobs in which this step needs attention')
    .option('--since <when>', 'only jobs submitted since this time: 30m, 2h, 1d, or 2026-01-31T12:00Z')
    .option('--until <when>', 'only jobs submitted before this time')
    .option('--tag <name=value>', 'only jobs with this tag; repeat for jobs with several tags', collected)
    .option('--text <text>', 'only jobs whose id, order id or workflow contains this text')
    .addOption(withValues(new Option('--waiting-for <what>', 'only jobs with a step that waits'), waitNames))
    .option('--agent <name>', 'only jobs in which a step of this agent is under way')
    .option('--took <duration>', 'only ended jobs that took at least this long, such as 90s or 2h')
}
