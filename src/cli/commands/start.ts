import { roles, startHost, superviseOnce, type Role } from '../../host/index.js'
import { consoleLogger } from '../../telemetry/index.js'
import { CliError, exitCodes } from '../cli-error.js'
import { runInstances } from '../instances.js'
import { withSettings } from '../store.js'
import type { StoreOptions } from '../store-options.js'
import type { Terminal } from '../terminal.js'
import { untilTold } from '../until-told.js'
import { loadUserModule, modulePath } from '../user-module.js'
import { wholeNumber } from './emulator.js'

/** Options of `stepward start`. */
export interface StartOptions extends StoreOptions {
  readonly role: readonly string[]
  readonly agents?: string
  readonly instances: string
  readonly once?: boolean
}

/** The most instances that one command starts: more than any machine has use for. */
const maxInstances = 256

/** Runs instances of roles until told to stop: one in this process, several as processes of their own. */
export async function start(options: StartOptions, terminal: Terminal): Promise<number> {
  const wanted = rolesOf(options.role)
  if (options.once === true) return once(wanted, options, terminal)
  const count = wholeNumber('--instances', options.instances, { min: 1, max: maxInstances })
  if (count > 1) {
    if (options.data !== undefined) {
      const advice = 'run "stepward emulator --data DIR" and connect the instances to it'
      throw new CliError(
        `--data belongs to one process, so it cannot be shared by ${count} instances: ${advice}`,
        exitCodes.usage,
      )
    }
    return runInstances(count, terminal)
  }
  return withSettings(options, async (settings) => {
    const { agents } = wanted.includes('agents')
      ? await loadUserModule(modulePath(options.agents, settings.module, '--agents'))
      : { agents: [] }
    const level = options.verbose === true ? 'debug' : 'info'
    const told = untilTold()
    const host = await startHost({ ...settings, roles: wanted, agents, telemetry: consoleLogger({ level }) })
    const { instanceName } = host
    const started =
      options.json === true
        ? JSON.stringify({ instanceName, roles: wanted })
        : startedText(instanceName, wanted)
    terminal.print(started)
    await told
    await host.stop()
    return exitCodes.ok
  })
}

/** One sweep: what a timetable starts where nothing runs for long. */
async function once(wanted: readonly Role[], options: StartOptions, terminal: Terminal): Promise<number> {
  if (wanted.length !== 1 || wanted[0] !== 'supervisor') {
    const why = 'only it has work that can be done in one go'
    throw new CliError(`--once goes with --role supervisor alone: ${why}`, exitCodes.usage)
  }
  return withSettings(options, async (settings) => {
    const level = options.verbose === true ? 'debug' : 'info'
    const result = await superviseOnce({ ...settings, telemetry: consoleLogger({ level }) })
    const { lookedAt, recovered } = result
    const documents = lookedAt === 1 ? 'document was' : 'documents were'
    const text = `${lookedAt} ${documents} overdue, ${recovered} recovered`
    terminal.print(options.json === true ? JSON.stringify(result) : text)
    return exitCodes.ok
  })
}

function startedText(instanceName: string, wanted: readonly Role[]): string {
  return `instance ${instanceName} runs ${wanted.join(', ')}; Ctrl-C stops it`
}

function rolesOf(names: readonly string[]): readonly Role[] {
  if (names.includes('all')) return roles
  const unknown = names.filter((name) => !roles.some((role) => role === name))
  if (unknown.length > 0 || names.length === 0) {
    const rule = `must be one or more of ${[...roles, 'all'].join(', ')}`
    throw new CliError(
      `--role ${names.map((name) => JSON.stringify(name)).join(' ') || 'is missing'}: ${rule}`,
      exitCodes.usage,
    )
  }
  return roles.filter((role) => names.includes(role))
}
