import type { Command } from 'commander'
import type { PauseOptions, PausesOptions } from './commands/jobs/pauses.js'
import { withStoreOptions } from './input/store-options.js'
import type { Terminal } from './output/terminal.js'
import type { RunCommand } from './run-command.js'

/** What the option `--workflows` does for a key of a limit. */
export const moduleOfKeys =
  'module with your workflows; used to check a key to which no step has come; default: "module" of the configuration'

/** Adds the commands about pauses. */
export function addPauseCommands(program: Command, terminal: Terminal, ending: RunCommand): void {
  const kinds = [
    [
      'pause',
      'let no attempt of a job, a workflow or an agent begin, or no step with the key of a limit, until "stepward resume"',
    ],
    [
      'resume',
      'end the pause of a job, a workflow, an agent or a key; deadlines that stood still move by the time of the pause',
    ],
  ] as const
  for (const [kind, description] of kinds) {
    const command = withStoreOptions(program.command(`${kind} <what> <name>`))
      .description(`${description} (WHAT is job, workflow, agent or key)`)
      .option('--why <text>', `the reason${kind === 'pause' ? ' (required)' : ''}; stored with the decision`)
      .option('--by <name>', 'who decides; default: your account on this machine')
      .option('--dry-run', 'only check the command, and write nothing')
      .action(async (what: string, name: string, options: PauseOptions) => {
        const { decidePause } = await import('./commands/jobs/pauses.js')
        await ending(decidePause(kind, { what, name }, options, terminal))
      })
    if (kind === 'pause') command.option('--workflows <module>', moduleOfKeys)
  }

  withStoreOptions(program.command('pauses'))
    .description('the paused workflows, agents, keys of limits and jobs: since when, who decided and why')
    .option('--limit <n>', 'the largest number of jobs to list', '100')
    .action(async (options: PausesOptions) => {
      const { pauses } = await import('./commands/jobs/pauses.js')
      await ending(pauses(options, terminal))
    })
}
