import { superviseOnce } from '../../host/index.js'
import { counted } from '../../platform/internal.js'
import { consoleLogger } from '../../telemetry/index.js'
import { exitCodes } from '../output/cli-error.js'
import type { StartOptions, StartPlan } from './start-plan.js'
import type { Terminal } from '../output/terminal.js'

/** Runs one sweep of the supervisor. A timer can start this command if no process runs permanently. */
export async function runOnce(
  { settings }: StartPlan,
  options: StartOptions,
  terminal: Terminal,
): Promise<number> {
  const level = options.verbose === true ? 'debug' : 'info'
  const result = await superviseOnce({ ...settings, telemetry: consoleLogger({ level }) })
  const { lookedAt, recovered } = result
  const text = `${counted(lookedAt, 'document was', 'documents were')} overdue, ${recovered} recovered`
  terminal.print(options.json === true ? JSON.stringify(result) : text)
  return exitCodes.ok
}
