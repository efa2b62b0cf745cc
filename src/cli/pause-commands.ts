import type { Command } from 'commander'
import type { PauseOptions, PausesOptions } from './commands/jobs/pauses.js'
import { withStoreOptions } from './input/store-options.js'
import type { Terminal } from './output/terminal.js'
import type { RunCommand } from './run-command.js'

/** Adds the commands about pauses. */
export function addPauseCommands(program: Command, terminal: Terminal, ending: RunCommand): void {
  const kinds = [
    ['pause', 'let no attempt of a job begin, or no step with a limit of this key, until it is resumed'],
    ['resume', 'end the pause of a job, whose deadlines are then later, or of a key'],
  ] as const
  for (const [kind, description] of kinds) {
    withStoreOptions(program.command(`${kind} <what> <name>`))
      .description(`${description} (WHAT is job or key)`)
      .option('--why <text>', 'the reason; stored with the job')
      .option('--by <name>', 'who decides; default: your account on this machine')
      .option('--dry-run', 'only check the command, and write nothing')
      .action(async (what: string, name: string, options: PauseOptions) => {
        const { decidePause } = await import('./commands/jobs/pauses.js')
        await ending(decidePause(kind, { what, name }, options, terminal))
      })
  }

  withStoreOptions(program.command('pauses'))
    .description('the paused jobs: since when, who decided and why')
    .option('--limit <n>', 'the largest number of jobs to list', '100')
    .action(async (options: PausesOptions) => {
      const { pauses } = await import('./commands/jobs/pauses.js')
      await ending(pauses(options, terminal))
    })
}
