import {
  connectionProblems,
  processSettings,
  roles,
  rolesNamed,
  type ProcessSettings,
  type Settings,
} from '../../connection/internal.js'
import type { HostOptions } from '../../host/index.js'
import { withoutUndefined } from '../../platform/internal.js'
import type { Agent, Schedule } from '../../sas/index.js'
import { CliError, exitCodes } from '../output/cli-error.js'
import { wholeNumber } from '../input/whole-number.js'
import { Problems } from '../output/problems.js'
import { refuseNoStore, settingsOf } from '../input/store.js'
import type { StoreOptions } from '../input/store-options.js'
import { loadUserModule, modulePath, type UserModule } from '../input/user-module.js'

export interface StartOptions extends StoreOptions {
  readonly role?: readonly string[]
  readonly agents?: string
  readonly instances?: string
  readonly port?: string
  readonly state?: string
  /** Runs one sweep of the supervisor and exits. */
  readonly once?: boolean
  /** Whether this process is a child of a fleet. */
  readonly supervised?: boolean
  /** False if the fleet keeps no process in reserve. */
  readonly reserve?: boolean
  /** Whether this child of a fleet waits until its parent names its role. */
  readonly inReserve?: boolean
}

export interface StartPlan {
  /** The roles as the user named them. They may include `all`. */
  readonly words: readonly string[]
  readonly agents: readonly Agent[]
  /** The schedules of the module with the agents. */
  readonly schedules: readonly Schedule[]
  /** The number of processes of each role, or null to run all roles in this process. */
  readonly instances: number | null
  readonly port: number | null
  readonly environment: ProcessSettings
  /** The options of the host that the user set, except the roles, the agents and the port. */
  readonly settings: Omit<Settings, 'module' | 'port' | 'roles'> & Pick<HostOptions, 'wakeAddress'>
}

/** The largest number of instances that one command starts, which is more than any machine can use. */
const maxInstances = 256

/**
 * Resolves settings from flags, environment and file, in this order of precedence. One error reports all
 * problems.
 */
export async function planOf(options: StartOptions): Promise<StartPlan> {
  const problems = new Problems()
  const instances = await problems.trying(() => numberOf('--instances', options.instances, 0, maxInstances))
  const port = await problems.trying(() => numberOf('--port', options.port, 0, 65_535))
  const environment = await problems.trying(() => processSettings())
  const settings = await problems.trying(() => settingsOf(options))
  const words = options.role ?? environment?.roles ?? settings?.roles ?? []
  await problems.trying(() => refuseUnknown(words))
  if (options.once === true) problems.add(...onceProblems(words, instances))
  const needsAgents = rolesNamed(words)?.includes('agents') === true && settings !== undefined
  const module = environment?.module ?? settings?.module
  const exported = needsAgents ? await problems.trying(() => agentsIn(options.agents, module)) : undefined
  if (options.data === undefined) {
    if (settings !== undefined) await problems.trying(() => refuseNoStore(settings))
    problems.add(...connectionProblems({ endpoint: 'https://unread', ...settings }))
  }
  problems.refuse()
  // Both are defined when no problem was found.
  if (environment === undefined || settings === undefined) throw new CliError('no settings', exitCodes.usage)
  return {
    words,
    agents: exported?.agents ?? [],
    schedules: exported?.schedules ?? [],
    instances: instances ?? null,
    port: port ?? environment.port ?? settings.port ?? null,
    environment,
    settings: withEnvironment(settings, environment),
  }
}

function withEnvironment(
  { module: _module, port: _port, roles: _roles, ...settings }: Settings,
  { unitPrefix = settings.unitPrefix, alertWebhook = settings.alertWebhook, wakeAddress }: ProcessSettings,
): StartPlan['settings'] {
  return {
    ...settings,
    ...withoutUndefined({ unitPrefix, alertWebhook, wakeAddress }),
  }
}

function numberOf(option: string, text: string | undefined, min: number, max: number): number | null {
  return text === undefined ? null : wholeNumber(option, text, { min, max })
}

function refuseUnknown(words: readonly string[]): void {
  if (rolesNamed(words) !== null) return
  const rule =
    `must be one or more of ${[...roles, 'all'].join(', ')} (or STEPWARD_ROLES, or "roles" ` +
    'in the configuration)'
  const given = words.map((word) => JSON.stringify(word)).join(' ')
  throw new CliError(`--role ${given || 'is missing: it'} ${rule}`, exitCodes.usage)
}

function onceProblems(words: readonly string[], instances: number | null | undefined): string[] {
  const why = 'only the supervisor has work that one run can finish'
  const isSupervisor = words.length === 1 && words[0] === 'supervisor'
  return [
    ...(isSupervisor ? [] : [`--once needs --role supervisor alone: ${why}`]),
    ...(instances === null || instances === undefined
      ? []
      : ['--once runs in one process: omit --instances']),
  ]
}

async function agentsIn(flag: string | undefined, configured: string | undefined): Promise<UserModule> {
  const path = modulePath(flag, configured, '--agents')
  const exported = await loadUserModule(path)
  if (exported.agents.length > 0) return exported
  throw new CliError(`module ${path} exports no agent: export what defineAgent(…) returns`, exitCodes.usage)
}
