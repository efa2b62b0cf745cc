import type { Command } from 'commander'
import type { ClearLimitOptions, SetLimitOptions } from './commands/jobs/limits.js'
import { withStoreOptions, type StoreOptions } from './input/store-options.js'
import { moduleOfKeys } from './pause-commands.js'
import type { Terminal } from './output/terminal.js'
import type { RunCommand } from './run-command.js'

/** Adds the commands about limits of steps. */
export function addLimitCommands(program: Command, terminal: Terminal, ending: RunCommand): void {
  withStoreOptions(program.command('limits'))
    .description('the limits that steps share: how many are at work, and how many wait')
    .action(async (options: StoreOptions) => {
      const { limits } = await import('./commands/jobs/limits.js')
      await ending(limits(options, terminal))
    })

  const limit = program.command('limit').enablePositionalOptions().description('commands about one limit')

  withStoreOptions(limit.command('show <key>'))
    .description('one limit, with the steps at work and the groups that wait')
    .action(async (key: string, options: StoreOptions) => {
      const { showLimit } = await import('./commands/jobs/limits.js')
      await ending(showLimit(key, options, terminal))
    })

  withStoreOptions(limit.command('set <key>'))
    .description('replace the numbers that the workflows give a limit, also while jobs wait')
    .option(
      '--at-once <n>',
      'the largest number of steps at work at once; pass this or --per-second, or both',
    )
    .option('--per-second <n>', 'the largest number of attempts that begin in a second, on average')
    .option('--burst <n>', 'the largest number of attempts that begin at once after a quiet time')
    .option('--workflows <module>', moduleOfKeys)
    .option('--why <text>', 'the reason; stored with the limit')
    .option('--by <name>', 'who decides; default: your account on this machine')
    .action(async (key: string, options: SetLimitOptions) => {
      const { setLimit } = await import('./commands/jobs/limits.js')
      await ending(setLimit(key, options, terminal))
    })

  withStoreOptions(limit.command('clear <key>'))
    .description('remove what "limit set" has set, so that the numbers of the workflows apply again')
    .option('--why <text>', 'the reason; shown by the command audit')
    .option('--by <name>', 'who decides; default: your account on this machine')
    .action(async (key: string, options: ClearLimitOptions) => {
      const { clearLimit } = await import('./commands/jobs/limits.js')
      await ending(clearLimit(key, options, terminal))
    })
}
