import type { Command } from 'commander'
import type {
  BackfillCommandOptions,
  DecideScheduleOptions,
  ScheduleDecisionOptions,
  SetOptions,
} from './commands/jobs/schedules.js'
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

  withStoreOptions(schedule.command('set [schedule]'))
    .description('store a schedule that a module exports, or all of them')
    .option('--workflows <module>', 'module that exports the schedule')
    .action(async (id: string | undefined, options: SetOptions) => {
      const { setSchedules } = await import('./commands/jobs/schedules.js')
      await ending(setSchedules(id, options, terminal))
    })

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
    .requiredOption('--from <when>', 'the earliest due time: 2h, 1d, or 2026-01-31T12:00Z')
    .requiredOption('--to <when>', 'the latest due time')
    .option('--dry-run', 'show the ticks, and submit nothing')
    .action(async (id: string, options: BackfillCommandOptions) => {
      const { backfillSchedule } = await import('./commands/jobs/schedules.js')
      await ending(backfillSchedule(id, options, terminal))
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
