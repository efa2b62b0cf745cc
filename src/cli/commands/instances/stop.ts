import { fleetStatus, socketPath, stateDirectoryOf } from '../../../fleet/index.js'
import { exitCodes } from '../../output/cli-error.js'
import type { Terminal } from '../../output/terminal.js'
import type { FleetCommandOptions } from './fleet.js'

/** Stops the fleet on this machine. Returns after every process of the fleet has ended. */
export async function stop(options: FleetCommandOptions, terminal: Terminal): Promise<number> {
  const path = socketPath(await stateDirectoryOf(options.state, process.cwd()))
  const { processId } = await fleetStatus(path, { command: 'stop' })
  terminal.print(
    options.json === true
      ? JSON.stringify({ stopped: processId })
      : `The fleet of process ${processId} has stopped.`,
  )
  return exitCodes.ok
}
