import { Argument, type Command } from 'commander'
import type { AutoscaleOptions } from './commands/instances/autoscale.js'
import type { FleetCommandOptions } from './commands/instances/fleet.js'
import type { RebalanceOptions } from './commands/instances/rebalance.js'
import type { DecisionOptions } from './commands/instances/record-decision.js'
import { roleWords, withValues } from './input/named-values.js'
import { withCommonOptions, withScaleTarget, withStoreOptions } from './input/store-options.js'
import type { Terminal } from './output/terminal.js'
import type { RunCommand } from './run-command.js'

/** A store that does not answer must not keep the process alive after the decision. */
const endsNow = { endsNow: true }

/** Adds the options about who decides, and why. */
function withDecision(command: Command): Command {
  return command
    .option('--why <text>', 'the reason (required); stored with the decision')
    .option('--by <name>', 'who decides; default: your account on this machine')
}

/** Adds the commands about the instances of a fleet or of App Service. */
export function addFleetCommands(program: Command, terminal: Terminal, ending: RunCommand): void {
  withCommonOptions(program.command('fleet'))
    .description(
      'the processes of the fleet that runs here: lag of each role, leases, processor time, memory',
    )
    .option('--state <dir>', 'the directory given to "stepward start"')
    .action(async (options: FleetCommandOptions) => {
      const { fleet } = await import('./commands/instances/fleet.js')
      await ending(fleet(options, terminal))
    })

  withCommonOptions(program.command('stop'))
    .description('stop the fleet that runs here, and forget the numbers that "scale" set')
    .option('--state <dir>', 'the directory given to "stepward start"')
    .action(async (options: FleetCommandOptions) => {
      const { stop } = await import('./commands/instances/stop.js')
      await ending(stop(options, terminal))
    })

  withDecision(withScaleTarget(withStoreOptions(program.command('scale'))))
    .addArgument(withValues(new Argument('<role>'), roleWords))
    .argument('<n>')
    .description('change how many instances of a role run, in the fleet here or on App Service')
    .option('--dry-run', 'only show how many run, and change nothing')
    .action(async (role: string, count: string, options: DecisionOptions) => {
      const { scale } = await import('./commands/instances/scale.js')
      await ending(scale(role, count, options, terminal), endsNow)
    })

  withDecision(withStoreOptions(program.command('rebalance')))
    .addArgument(withValues(new Argument('[role]'), roleWords))
    .description('let the processes of the fleet here look for leases now; by default, those of all roles')
    .option('--state <dir>', 'the directory given to "stepward start"')
    .option('--dry-run', 'only count the processes')
    .action(async (role: string | undefined, options: RebalanceOptions) => {
      const { rebalance } = await import('./commands/instances/rebalance.js')
      await ending(rebalance(role, options, terminal), endsNow)
    })

  withScaleTarget(withStoreOptions(program.command('autoscale')))
    .addArgument(withValues(new Argument('<role>'), roleWords))
    .description('scale a role by its lag, slowly, and to no more instances than it has leases')
    .option('--min <n>', 'the fewest instances', '1')
    .option('--max <n>', 'the most instances', '8')
    .option('--interval <seconds>', 'the pause between two checks', '15')
    .option('--once', 'look, decide, scale, and end')
    .action(async (role: string, options: AutoscaleOptions) => {
      const { autoscale } = await import('./commands/instances/autoscale.js')
      await ending(autoscale(role, options, terminal))
    })
}
