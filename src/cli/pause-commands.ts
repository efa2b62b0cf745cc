import type { Command } from 'commander'
import type { PauseOptions, PausesOptions } from './commands/jobs/pauses.js'
import { withStoreOptions } from './input/store-options.js'
import type { Terminal } from './output/terminal.js'
import type { RunCommand } from './run-command.js'

/** Adds the commands about pauses. */
export function addPauseCommands(program: Command, terminal: Terminal, ending: RunCommand): void {
  const kinds = [
    ['pause', 'let no attempt of a job begin until the job is resumed; attempts under way end'],
    ['resume', 'end the pause of a job; its deadlines are later by the time of the pause'],
  ] as const
  for (const [kind, description] of kinds) {
    withStoreOptions(program.command(`${kind} <what> <name>`))
      .description(`${description} (WHAT is job)`)
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
