import { Option, type Command } from 'commander'
import type {
  BackfillCommandOptions,
  DecideScheduleOptions,
  ScheduleDecisionOptions,
  SetOptions,
} from './commands/jobs/schedules.js'
import { withValues } from './input/named-values.js'
import { withStoreOptions, type StoreOptions } from './input/store-options.js'
import type { Terminal } from './output/terminal.js'
import type { RunCommand } from './run-command.js'

/** Adds the commands about schedules. */
export function addScheduleCommands(program: Command, terminal: Terminal, ending: RunCommand): void {
  withStoreOptions(program.command('schedules'))
    .description('all schedules: the next tick, and how many were submitted, missed and skipped')
    .action(async (options: StoreOptions) => {
      const { schedules } = await import('./commands/jobs/schedules.js')
      await ending(schedules(options, terminal))
    })

  const schedule = program
    .command('schedule')
    .enablePositionalOptions()
    .description('commands about one schedule')

  addSetCommand(schedule, terminal, ending)

  withStoreOptions(schedule.command('show <schedule>'))
    .description('one schedule, with the newest ticks that were missed or skipped')
    .action(async (id: string, options: StoreOptions) => {
      const { showSchedule } = await import('./commands/jobs/schedules.js')
      await ending(showSchedule(id, options, terminal))
    })

  for (const [kind, description] of decisions) {
    const command = withDecision(withStoreOptions(schedule.command(`${kind} <schedule>`)))
    if (kind === 'delete') command.option('--yes', 'do not ask')
    command.description(description).action(async (id: string, options: DecideScheduleOptions) => {
      const { decideSchedule } = await import('./commands/jobs/schedules.js')
      await ending(decideSchedule(kind, id, options, terminal))
    })
  }

  withDecision(withStoreOptions(schedule.command('trigger <schedule>')))
    .description('submit one job of a schedule now, in addition to its ticks')
    .action(async (id: string, options: ScheduleDecisionOptions) => {
      const { triggerSchedule } = await import('./commands/jobs/schedules.js')
      await ending(triggerSchedule(id, options, terminal))
    })

  withDecision(withStoreOptions(schedule.command('backfill <schedule>')))
    .description(
      'submit the ticks between two times in the past; a tick that was submitted before is left alone',
    )
    .requiredOption('--from <when>', 'the earliest due time (required): 2h, 1d, or 2026-01-31T12:00Z')
    .requiredOption(
      '--to <when>',
      'the latest due time (required); a date means its midnight in UTC, which leaves out the ticks of that day',
    )
    .option('--dry-run', 'show the ticks, and submit nothing')
    .action(async (id: string, options: BackfillCommandOptions) => {
      const { backfillSchedule } = await import('./commands/jobs/schedules.js')
      await ending(backfillSchedule(id, options, terminal))
    })
}

function addSetCommand(schedule: Command, terminal: Terminal, ending: RunCommand): void {
  withDecision(withStoreOptions(schedule.command('set [schedule]')))
    .description(
      'store one or all schedules that a module exports; or create or change one schedule with the options below',
    )
    .option(
      '--workflows <module>',
      'module that exports the schedule, or the workflow of --workflow; default: "module" of the configuration',
    )
    .option('--workflow <name>', 'the workflow of the jobs; required for a new schedule')
    .option('--cron <pattern>', 'minute, hour, day of the month, month, weekday, such as "30 2 * * 1-5"')
    .option('--time-zone <name>', 'the time zone of --cron; default for a new schedule: UTC')
    .option('--every <time>', 'instead of --cron: the interval between two ticks, such as 1h')
    .option('--input <file>', 'JSON, the input of each job; default for a new schedule: null')
    .addOption(
      withValues(
        new Option(
          '--overlap <policy>',
          'what happens to a tick that comes during a run (skip for a new schedule)',
        ),
        ['skip', 'queue', 'allow', 'cancelPrevious'],
      ),
    )
    .option(
      '--catch-up <time>',
      'how long after its due time a tick is still submitted; default for a new schedule: 1h',
    )
    .option(
      '--jitter <time>',
      'the longest delay of a tick; each tick has its own; default for a new schedule: 0ms',
    )
    .option('--dry-run', 'only check the options, and write nothing')
    .action(async (id: string | undefined, options: SetOptions) => {
      const { setSchedules } = await import('./commands/jobs/schedules.js')
      await ending(setSchedules(id, options, terminal))
    })
}

const decisions = [
  ['pause', 'submit no more ticks of a schedule until it is resumed'],
  ['resume', 'end a pause; the ticks during the pause count as skipped'],
  ['delete', 'delete a schedule; its jobs stay'],
] as const

function withDecision(command: Command): Command {
  return command
    .option('--why <text>', 'the reason; stored with the schedule')
    .option('--by <name>', 'who decides; default: your account on this machine')
}
