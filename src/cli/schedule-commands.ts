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
    .description('one schedule, with the newest ticks that were passed over')
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
    .description('submit one job of a schedule now, besides its ticks')
    .action(async (id: string, options: ScheduleDecisionOptions) => {
      const { triggerSchedule } = await import('./commands/jobs/schedules.js')
      await ending(triggerSchedule(id, options, terminal))
    })

  withDecision(withStoreOptions(schedule.command('backfill <schedule>')))
    .description('submit the ticks of a time in the past; a tick that was submitted is left alone')
    .requiredOption('--from <when>', 'the earliest due time (required): 2h, 1d, or 2026-01-31T12:00Z')
    .requiredOption(
      '--to <when>',
      'the latest due time (required); a date means midnight UTC, so the ticks of that day come after it',
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
      'store a schedule that a module exports, or all of them; or create or change one by the options below',
    )
    .option(
      '--workflows <module>',
      'module that exports the schedule, or the --workflow; default: "module" of the configuration',
    )
    .option('--workflow <name>', 'the workflow whose job each tick submits; a new schedule needs it')
    .option('--cron <pattern>', 'minute, hour, day of the month, month, weekday, such as "30 2 * * 1-5"')
    .option('--time-zone <name>', 'the time zone of --cron; a new schedule has UTC')
    .option('--every <time>', 'instead of --cron: the interval between two ticks, such as 1h')
    .option('--input <file>', 'JSON, the input of each job; a new schedule has null')
    .addOption(
      withValues(
        new Option('--overlap <policy>', 'what happens to a tick during a run; a new schedule has skip'),
        ['skip', 'queue', 'allow', 'cancelPrevious'],
      ),
    )
    .option('--catch-up <time>', 'for how long a tick is made up; a new schedule has 1h')
    .option('--jitter <time>', 'each tick is delayed by its own part of this time; a new schedule has 0ms')
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
