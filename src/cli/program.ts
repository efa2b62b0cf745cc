/**
 * # Command line
 *
 * Turns words on a terminal into calls of other rooms. This room makes no decisions. This file defines the
 * commands and their options, except the commands for operators in `operator-commands.ts`. The code of a
 * command is loaded only when the command is called, because loading all code would take longer than most
 * commands themselves. `commands/` has one function for each command. The function receives options and a
 * `Terminal`, and returns an exit code. A command prints results through the terminal and throws its errors.
 * Only `main.ts` turns an error into one line and an exit code (`output/cli-error.ts`).
 *
 * `input/store.ts` opens the store that the flags, the environment or the configuration file specify.
 * `input/selection.ts` turns options into a filter for jobs, and `input/user-module.ts` loads agents and
 * workflows. `running/run-host.ts` and `running/run-fleet.ts` run the processes, and handle signals, time
 * budgets, parents and children. A test generates `docs/cli.md` from the commands below.
 */
import { Argument, Command, Option } from 'commander'
import type { CheckOptions } from './commands/operations/check.js'
import type { DeadLettersOptions } from './commands/operations/dead-letters.js'
import type { CostOptions } from './commands/operations/cost.js'
import type { DevOptions } from './commands/store/dev.js'
import type { ProvisionOptions } from './commands/store/provision.js'
import type { EmulatorCommandOptions } from './commands/store/emulator.js'
import type { MergeOptions, SplitOptions } from './commands/store/emulator-partitions.js'
import type { PageCommandOptions } from './commands/operations/page.js'
import type { StartOptions } from './running/start-plan.js'
import type { SubmitOptions } from './commands/jobs/submit.js'
import { withExamples } from './examples.js'
import { addFleetCommands } from './fleet-commands.js'
import { addLimitCommands } from './limit-commands.js'
import { addOperatorCommands } from './operator-commands.js'
import { addPauseCommands } from './pause-commands.js'
import type { RunCommand } from './run-command.js'
import { collected } from './input/collected.js'
import { roleWords, withValues } from './input/named-values.js'
import { shells, type Shell } from './output/shells.js'
import {
  withCommonOptions,
  withScaleTarget,
  withStoreOptions,
  withUnitOptions,
  type UnitOptions,
} from './input/store-options.js'
import type { Terminal } from './output/terminal.js'
import { withUsageErrors } from './output/usage-errors.js'

export interface ProgramOptions {
  readonly version: string
  readonly terminal: Terminal
  readonly ending: RunCommand
}

interface Parts extends Omit<ProgramOptions, 'version'> {
  readonly program: Command
}

export function programOf({ version, terminal, ending }: ProgramOptions): Command {
  const program = new Command('stepward')
    .description('Durable distributed jobs on Azure Cosmos DB.')
    .version(version)
    .exitOverride()
    // A subcommand and its command may have options with the same name. Options after the subcommand belong
    // to the subcommand.
    .enablePositionalOptions()
    .addHelpText(
      'after',
      '\nExit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 conflict,\n  5 store unreachable, or the request was refused.',
    )
  const parts = { program, terminal, ending }
  addEmulatorCommands(parts)
  addRunningCommands(parts)
  addOperatorCommands(program, terminal, ending)
  addLimitCommands(program, terminal, ending)
  addPauseCommands(program, terminal, ending)
  addFleetCommands(program, terminal, ending)
  addLeaseCommands(parts)
  addPageCommand(parts)
  addStoreCommands(parts)
  return withUsageErrors(withExamples(program))
}

function addEmulatorCommands({ program, terminal, ending }: Parts): void {
  withCommonOptions(program.command('dev [module]'))
    .description('an embedded Cosmos DB and every role in one process')
    .option('--port <n>', 'port of the embedded store, 0 for any', '8081')
    .option('--data <dir>', 'keep the data in this directory')
    .option('--memory <MiB>', 'memory for documents that are also in the directory', '256')
    .option('--partitions <n>', 'physical partitions of each container', '1')
    .option('--config <file>', 'the configuration; default: stepward.config.js or stepward.config.json')
    .option('--through-sdk', 'let the roles use the store through the SDK, as they use an account')
    .option('--keep-versions <time>', 'keep all versions of documents for this time, for "stepward history"')
    .option('--page-port <n>', 'port of the page, 0 for any; default: 8090, or any if 8090 is in use')
    .option('--no-page', 'serve no page for operators')
    .action(async (module: string | undefined, options: DevOptions) => {
      const { dev } = await import('./commands/store/dev.js')
      await ending(dev(module, options, terminal))
    })

  const emulatorCommand = withCommonOptions(program.command('emulator'))
    .enablePositionalOptions()
    .description('the embedded Cosmos DB alone')
    .option('--port <n>', 'port, 0 for any', '8081')
    .option('--data <dir>', 'keep the data in this directory')
    .option('--memory <MiB>', 'memory for documents that are also in the directory', '256')
    .option('--partitions <n>', 'physical partitions of each container', '1')
    .option('--key <key>', 'the key; default: the well-known key of the Cosmos DB emulator')
    .option('--enforce-throughput', 'answer 429 to requests beyond the throughput of a container')
    .option('--https', 'serve https, with a certificate made for localhost')
    .option('--explorer', 'serve the data explorer at /_explorer/; default: yes')
    .option('--no-explorer', 'serve no data explorer')
    .action(async (options: EmulatorCommandOptions) => {
      const { emulator } = await import('./commands/store/emulator.js')
      await ending(emulator(options, terminal))
    })

  withCommonOptions(emulatorCommand.command('split <container>'))
    .description('split a physical partition of a container, DATABASE/CONTAINER, of a running emulator')
    .option('--endpoint <url>', 'the address of the emulator', 'http://127.0.0.1:8081/')
    .option('--key <key>', 'the key; default: the well-known key of the Cosmos DB emulator')
    .option('--range <id>', 'the range to split; default: the range with the most documents')
    .action(async (container: string, options: SplitOptions) => {
      const { emulatorSplit } = await import('./commands/store/emulator-partitions.js')
      await ending(emulatorSplit(container, options, terminal))
    })

  withCommonOptions(emulatorCommand.command('merge <container>'))
    .description(
      'merge two neighbouring partitions of a container, DATABASE/CONTAINER, of a running emulator',
    )
    .option('--endpoint <url>', 'the address of the emulator', 'http://127.0.0.1:8081/')
    .option('--key <key>', 'the key; default: the well-known key of the Cosmos DB emulator')
    .requiredOption('--ranges <ids...>', 'the ids of the two ranges (required)')
    .action(async (container: string, options: MergeOptions) => {
      const { emulatorMerge } = await import('./commands/store/emulator-partitions.js')
      await ending(emulatorMerge(container, options, terminal))
    })
}

function addRunningCommands({ program, terminal, ending }: Parts): void {
  withStoreOptions(program.command('start'))
    .description('run roles in this process, or as a fleet of processes')
    .addOption(withValues(new Option('--role <role...>', 'the roles to run (or STEPWARD_ROLES)'), roleWords))
    .option('--agents <module>', 'module that exports the agents (or STEPWARD_MODULE)')
    .option('--instances <n>', 'keep this many processes of each role alive')
    .option('--port <n>', 'serve /healthz, /readyz and /metrics (or PORT)')
    .option(
      '--state <dir>',
      'where a fleet stores its settings; default: a folder in XDG_RUNTIME_DIR or the temporary directory',
    )
    .option(
      '--no-reserve',
      'keep no loaded process in reserve; with one, a fleet replaces a dead process sooner',
    )
    .option('--once', 'recover overdue work and exit; for the role supervisor')
    .addOption(new Option('--supervised').hideHelp())
    .addOption(new Option('--in-reserve').hideHelp())
    .action(async (options: StartOptions) => {
      const { start } = await import('./commands/instances/start.js')
      await ending(start(options, terminal))
      // A handler that ignores its signal would keep the process alive. Other instances continue its work.
      process.exit()
    })

  withStoreOptions(program.command('submit <workflow> [file]'))
    .description(
      'submit one job for each line of a JSON Lines file, or of standard input (-); the workflow must define jobId, or --job-id must name the only job',
    )
    .option(
      '--workflows <module>',
      'module that exports the workflow; default: "module" of the configuration',
    )
    .option('--reply-to <where>', 'receiver of notices about each job: an http(s) URL, or container:NAME')
    .option(
      '--notify <event>',
      'event to report: received, started, attention or finished; repeat for several; default: all',
      collected,
    )
    .option('--tag <name=value>', 'a tag of each job; repeat for several tags', collected)
    .option('--priority <n>', 'jobs with a larger number go first; default: that of the workflow, or 0')
    .option('--complete-within <time>', 'the time for each job, such as 2h; default: that of the workflow')
    .option(
      '--retain-for <time>',
      'how long each job that ended well is kept, such as 30d; default: that of the workflow',
    )
    .option('--partition-key <key>', 'the partition key of all jobs; default: that of the workflow')
    .option('--job-id <id>', 'the id of the only job, if the workflow does not define jobId')
    .option('--wait', 'wait until every job has ended')
    .action(async (workflow: string, file: string | undefined, options: SubmitOptions) => {
      const { submit } = await import('./commands/jobs/submit.js')
      await ending(submit(workflow, file ?? '-', options, terminal))
    })
}

function addLeaseCommands({ program, terminal, ending }: Parts): void {
  withUnitOptions(program.command('leases'))
    .description('which instance reads which feed range')
    .action(async (options: UnitOptions) => {
      const { leases } = await import('./commands/operations/leases.js')
      await ending(leases(options, terminal))
    })

  withUnitOptions(program.command('estimate'))
    .description('how far each lease is behind: changes not yet checkpointed, and the age of the oldest')
    .action(async (options: UnitOptions) => {
      const { estimate } = await import('./commands/operations/estimate.js')
      await ending(estimate(options, terminal))
    })

  withUnitOptions(program.command('doctor'))
    .description(
      'what is wrong with the containers and leases, and what to do; exit code 1 if there is a problem',
    )
    .action(async (options: UnitOptions) => {
      const { doctor } = await import('./commands/operations/doctor.js')
      await ending(doctor(options, terminal))
    })

  withStoreOptions(program.command('dead-letters <container>'))
    .description('the newest changes that a change feed processor has set aside in this container')
    .option('--limit <n>', 'the largest number of changes to list', '100')
    .action(async (container: string, options: DeadLettersOptions) => {
      const { deadLetters } = await import('./commands/operations/dead-letters.js')
      await ending(deadLetters(container, options, terminal))
    })
}

function addPageCommand({ program, terminal, ending }: Parts): void {
  withScaleTarget(withStoreOptions(program.command('page')))
    .description(
      'a page in a browser of this machine, which shows jobs, leases and problems, and acts on them',
    )
    .option('--port <n>', 'the port on the loopback interface, 0 for any', '8090')
    .option(
      '--workflows <module>',
      'module that exports the workflows for submit, migrate and schedules; default: "module" of the configuration',
    )
    .option('--by <name>', 'who decides; default: your account on this machine')
    .action(async (options: PageCommandOptions) => {
      const { page } = await import('./commands/operations/page.js')
      await ending(page(options, terminal))
    })
}

function addStoreCommands({ program, terminal, ending }: Parts): void {
  withCommonOptions(program.command('check [module]'))
    .description(
      'the plans of a module, their deadlines and request units, and every problem; needs no store',
    )
    .option('--config <file>', 'the configuration; default: stepward.config.js or stepward.config.json')
    .action(async (module: string | undefined, options: CheckOptions) => {
      const { check } = await import('./commands/operations/check.js')
      await ending(check(module, options, terminal))
    })

  withCommonOptions(program.command('cost'))
    .description('the request units of a job and of idle instances, computed without a store')
    .option('--steps <n>', 'the number of steps of a job, one after another', '3')
    .option('--claimed-steps <n>', 'the number of these steps with claimed attempts (claim: true)', '0')
    .option('--document-kb <n>', 'the mean size of a stored job or step, in KB', '1.1')
    .addOption(
      withValues(
        new Option(
          '--indexing <policy>',
          'the indexing of the state container ("stepward provision" sets lean)',
        ),
        ['lean', 'full'],
      ).default('lean'),
    )
    .option('--partitions <n>', 'physical partitions of the state container', '1')
    .option('--instances <n>', 'the number of instances of each role', '1')
    .option('--jobs-per-day <n>', 'the number of jobs a day, for the totals', '10000')
    .option('--no-notifier', 'leave out the role notifier, which sends notices and alerts')
    .action(async (options: CostOptions) => {
      const { cost } = await import('./commands/operations/cost.js')
      await ending(cost(options, terminal))
    })

  withStoreOptions(program.command('provision'))
    .description('create the database and containers that are missing, and check those that are there')
    .option('--keep-versions <time>', 'keep all versions of documents for this time, for "stepward history"')
    .action(async (options: ProvisionOptions) => {
      const { provision } = await import('./commands/store/provision.js')
      await ending(provision(options, terminal))
    })

  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(shells))
    .description('print a script that completes commands, options and values')
    .action(async (shell: Shell) => {
      const { completion } = await import('./commands/completion.js')
      await ending(completion(shell, program, terminal))
    })
}
