import { Option, type Command } from 'commander'
import type { AuditOptions } from './commands/operations/audit.js'
import type { UsageOptions } from './commands/operations/usage.js'
import type { AttentionOptions } from './commands/jobs/attention.js'
import type { DecideOptions, DecisionKind } from './commands/jobs/resubmit-release-cancel.js'
import type { HistoryCommandOptions } from './commands/jobs/history.js'
import type { ListOptions } from './commands/jobs/list.js'
import type { RaiseOptions } from './commands/jobs/raise.js'
import type { StatusOptions } from './commands/jobs/status.js'
import type { ResendOptions } from './commands/jobs/resend.js'
import type { MigrateCommandOptions } from './commands/jobs/migrate.js'
import type { RestartCommandOptions } from './commands/jobs/restart.js'
import type { TriageCommandOptions } from './commands/jobs/triage.js'
import type { RunCommand } from './run-command.js'
import { clearNames } from './input/named-values.js'
import { withSelection } from './input/selection-options.js'
import { withStoreOptions, type StoreOptions } from './input/store-options.js'
import { addQuestionCommands } from './question-commands.js'
import { addScheduleCommands } from './schedule-commands.js'
import type { Terminal } from './output/terminal.js'

/** Adds the commands with which an operator inspects jobs and makes decisions about jobs. */
export function addOperatorCommands(program: Command, terminal: Terminal, ending: RunCommand): void {
  addStatusCommand(program, terminal, ending)

  withSelection(withStoreOptions(program.command('list')))
    .description('jobs, newest submission first')
    .option('--attention', 'only jobs that need attention')
    .option('--limit <n>', 'the largest number of jobs to list', '100')
    .option(
      '--before <when>',
      'only jobs submitted before this time; or the value that the previous page printed',
    )
    .action(async (options: ListOptions) => {
      const { list } = await import('./commands/jobs/list.js')
      await ending(list(options, terminal))
    })

  withSelection(withStoreOptions(program.command('attention')))
    .description(
      'the problems of jobs, grouped, and what to do about each group; exit code 1 if there is a problem',
    )
    .option('--assignee <name>', 'only jobs that "stepward triage" has assigned to this person')
    .option('--mine', 'only jobs that are assigned to the name of your account on this machine')
    .option('--snoozed', 'only jobs that are snoozed, which are hidden otherwise')
    .action(async (options: AttentionOptions) => {
      const { attention } = await import('./commands/jobs/attention.js')
      await ending(attention(options, terminal))
    })

  withStoreOptions(program.command('watch <job>'))
    .description('follow a job to its end, step by step; exit code 0 if it ends well')
    .action(async (job: string, options: StoreOptions) => {
      const { watch } = await import('./commands/jobs/watch.js')
      await ending(watch(job, options, terminal))
    })

  decisionCommand(program, 'resubmit', { terminal, ending })
    .description('retry the failed steps of one job, or of all jobs that match')
    .option('--input <file>', 'JSON that replaces the input of the step that --step names; needs JOB')
  addTriageCommand(program, terminal, ending)
  addRestartCommand(program, terminal, ending)
  addMigrateCommand(program, terminal, ending)
  decisionCommand(program, 'release', { terminal, ending }).description(
    'immediately continue steps that are parked or in an extended wait',
  )
  decisionCommand(program, 'cancel', { terminal, ending }).description(
    'stop a job, or all that match, and undo what was done',
  )

  withStoreOptions(program.command('raise <job> <step>'))
    .description('raise the event that a step of a job waits for')
    .option('--payload <file>', 'JSON that becomes the output of the step; default: null')
    .option(
      '--event-key <key>',
      'the name of the event, if the step collects several; the same key counts once',
    )
    .action(async (job: string, step: string, options: RaiseOptions) => {
      const { raise } = await import('./commands/jobs/raise.js')
      await ending(raise(job, step, options, terminal))
    })

  addResendCommand(program, terminal, ending)
  addQuestionCommands(program, terminal, ending)
  addReportCommands(program, terminal, ending)
  addScheduleCommands(program, terminal, ending)
}

function addResendCommand(program: Command, terminal: Terminal, ending: RunCommand): void {
  withStoreOptions(program.command('resend [job]'))
    .description('send again the notices that were given up, of one job or of all jobs that match')
    .option('--workflow <name>', 'only jobs of this workflow')
    .option('--cause <digits>', 'only notices with this cause, as in a command of "stepward attention"')
    .option('--all', 'every notice that was given up')
    .option('--yes', 'do not ask for confirmation of --all')
    .option('--why <text>', 'the reason; stored with each notice')
    .option('--by <name>', 'who decides; default: your account on this machine')
    .option('--dry-run', 'show what would be sent, and write nothing')
    .action(async (job: string | undefined, options: ResendOptions) => {
      const { resend } = await import('./commands/jobs/resend.js')
      await ending(resend(job, options, terminal))
    })
}

/** Adds the commands that report about all jobs. */
function addReportCommands(program: Command, terminal: Terminal, ending: RunCommand): void {
  withStoreOptions(program.command('audit'))
    .description(
      'the decisions of operators about all jobs, schedules, limits, pauses and instances: who, what and why',
    )
    .option(
      '--limit <n>',
      'the largest number of jobs, schedules and limits whose decisions are listed',
      '100',
    )
    .option('--before <when>', 'only decisions before this time; or the value that the previous page printed')
    .action(async (options: AuditOptions) => {
      const { audit } = await import('./commands/operations/audit.js')
      await ending(audit(options, terminal))
    })
  withStoreOptions(program.command('usage'))
    .description(
      'the request units of the jobs of the last hours, by workflow, role and feed, and a forecast',
    )
    .option('--hours <n>', 'the hours in which the jobs were submitted', '24')
    .option('--provisioned <n>', 'the provisioned throughput in RU a second; default: what the store reports')
    .action(async (options: UsageOptions) => {
      const { usage } = await import('./commands/operations/usage.js')
      await ending(usage(options, terminal))
    })
}

function decisionCommand(
  program: Command,
  kind: DecisionKind,
  { terminal, ending }: { readonly terminal: Terminal; readonly ending: RunCommand },
): Command {
  return withSelection(withStoreOptions(program.command(`${kind} [job]`)))
    .option('--assignee <name>', 'only flagged jobs that are assigned to this person')
    .option('--snoozed', 'only flagged jobs that are snoozed')
    .option('--not-snoozed', 'only jobs that are not snoozed')
    .option('--cause <digits>', 'only flagged jobs with this cause, as in a command of "stepward attention"')
    .option('--all', 'every job, if no filter is given')
    .option('--yes', 'do not ask for confirmation of --all')
    .option('--why <text>', `the reason${kind === 'release' ? '' : ' (required)'}; stored with the job`)
    .option('--by <name>', 'who decides; default: your account on this machine')
    .option('--dry-run', 'show what would happen to each job, and write nothing')
    .action(async (job: string | undefined, options: DecideOptions) => {
      const { decide } = await import('./commands/jobs/resubmit-release-cancel.js')
      await ending(decide(kind, job, options, terminal))
    })
}

function addTriageCommand(program: Command, terminal: Terminal, ending: RunCommand): void {
  const clear = new Option('--clear <part>', 'remove a part of an earlier triage')
  withSelection(withStoreOptions(program.command('triage [job]')))
    .description('say who looks after a job that needs an operator, and hide it for a time')
    .option('--assign <name>', 'the person who looks after the job')
    .option('--note <text>', 'what other operators must know, at most 500 characters')
    .option(
      '--snooze <when>',
      'hide the job for a time such as 2h, or until a date such as 2026-01-31T12:00Z',
    )
    .addOption(clear.choices(clearNames))
    .option('--all', 'every job that needs an operator, if no filter is given')
    .option('--yes', 'do not ask for confirmation of --all')
    .option('--by <name>', 'who decides; default: your account on this machine')
    .option('--dry-run', 'show what would happen to each job, and write nothing')
    .action(async (job: string | undefined, options: TriageCommandOptions) => {
      const { triage } = await import('./commands/jobs/triage.js')
      await ending(triage(job, options, terminal))
    })
}

function addRestartCommand(program: Command, terminal: Terminal, ending: RunCommand): void {
  const after = new Option('--after <choice>', 'undo or keep the effects of steps that run again')
  withSelection(withStoreOptions(program.command('restart [job]')))
    .description('restart one job, or all that match, from a step, as a new job')
    .option(
      '--from <step>',
      'the first step that runs again (required); finished steps that do not depend on it are carried over',
    )
    .option('--input <file>', 'JSON that replaces the input of the job')
    .option('--step-input <file>', 'JSON that replaces the input of the step --from')
    .option(
      '--module <file>',
      'the module whose workflow checks --input; default: "module" of the configuration',
    )
    .addOption(after.choices(['undo', 'keep']))
    .option('--as <id>', 'the id of the new job; default: JOB.r1')
    .option('--all', 'every job in Error, if no filter is given')
    .option('--yes', 'do not ask for confirmation of --all')
    .option('--why <text>', 'the reason (required); stored with both jobs')
    .option('--by <name>', 'who decides; default: your account on this machine')
    .option('--dry-run', 'show what would happen to each job, and write nothing')
    .action(async (job: string | undefined, options: RestartCommandOptions) => {
      const { restart } = await import('./commands/jobs/restart.js')
      await ending(restart(job, options, terminal))
    })
}

function addMigrateCommand(program: Command, terminal: Terminal, ending: RunCommand): void {
  withSelection(withStoreOptions(program.command('migrate [job]')))
    .description('replace the plan of one job, or of all that match, by a newer definition')
    .option(
      '--module <file>',
      'the module that exports the newer workflow; default: "module" of the configuration',
    )
    .option('--why <text>', 'the reason (required); stored with the job')
    .option('--by <name>', 'who decides; default: your account on this machine')
    .option('--dry-run', 'show what would change, and write nothing')
    .option('--older', 'also allow a version that is older than that of the job')
    .action(async (job: string | undefined, options: MigrateCommandOptions) => {
      const { migrate } = await import('./commands/jobs/migrate.js')
      await ending(migrate(job, options, terminal))
    })
}

function addStatusCommand(program: Command, terminal: Terminal, ending: RunCommand): void {
  withStoreOptions(program.command('status [job]'))
    .description('one job with its steps, or how many jobs there are in each state')
    .option('--whole', 'with --json, print large values whole, not their tickets')
    .option('--show-secrets', 'also print the values that the workflow marks as secret')
    .action(async (job: string | undefined, options: StatusOptions) => {
      const { status } = await import('./commands/jobs/status.js')
      await ending(status(job, options, terminal))
    })
  withStoreOptions(program.command('history <job>'))
    .description('what changed in a job and its steps, in order: all versions that the store keeps')
    .option('--limit <n>', 'the smallest number of changed documents on a page', '100')
    .option('--after <position>', 'continue after the page that printed this value')
    .option('--moment <n>', 'print the documents that changed at this moment')
    .option('--show-secrets', 'also print the values that the workflow marks as secret')
    .action(async (job: string, options: HistoryCommandOptions) => {
      const { history } = await import('./commands/jobs/history.js')
      await ending(history(job, options, terminal))
    })
}
