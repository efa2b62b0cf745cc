import { access, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { group, isObject, kind, optional, readOptions, text, wholeNumber } from '../platform/options.js'
import type { AgentsSettings, NotifierSettings, ProcessorTiming, SupervisorSettings } from '../sas/index.js'
import { agentsShape, notifierShape, supervisorShape, timingShape } from '../sas/internal.js'
import type { Connection } from './connection.js'
import { ConfigurationInvalid } from './errors.js'
import { isBlobContainer } from './azure/payloads-at.js'
import { roles, rolesNamed, type Role } from './role.js'

const name = optional(text())

const shape = {
  endpoint: name,
  key: name,
  connectionString: name,
  database: name,
  container: name,
  leaseContainer: name,
  /** The URL of a container of Azure Blob Storage, or a folder, relative to the configuration file. */
  payloads: name,
  roles: optional(
    kind<readonly (Role | 'all')[]>(
      `a list of some of ${[...roles, 'all'].join(', ')}`,
      (value) => Array.isArray(value) && value.length > 0 && rolesNamed(value) !== null,
    ),
  ),
  port: optional(wholeNumber(0, 65_535)),
  /** The path is relative to the configuration file. */
  module: name,
  unitPrefix: name,
  slots: agentsShape.slots,
  ...supervisorShape,
  alertWebhook: name,
  alertCallsPerMinute: notifierShape.alertCallsPerMinute,
  remindAfter: notifierShape.remindAfter,
  sendTimeout: notifierShape.sendTimeout,
  timing: optional(group(timingShape)),
}

/** The content of `stepward.config.json` or of `stepward.config.js` (default export). */
export interface ConfigFile
  extends
    Omit<Connection, 'client' | 'embedded' | 'provision' | 'payloads'>,
    Pick<AgentsSettings, 'slots'>,
    SupervisorSettings,
    Pick<NotifierSettings, 'alertCallsPerMinute' | 'remindAfter' | 'sendTimeout'> {
  readonly roles?: readonly (Role | 'all')[]
  readonly port?: number
  readonly module?: string
  readonly unitPrefix?: string
  readonly payloads?: string
  readonly alertWebhook?: string
  readonly timing?: ProcessorTiming
}

const defaultNames = ['stepward.config.js', 'stepward.config.json']

/**
 * Reads the configuration file at `path`, or else the file with a default name in `directory`. Returns no
 * settings if there is no default file.
 *
 * @throws ConfigurationInvalid with the name of the file and every wrong value in it
 */
export async function readConfigFile(path: string | undefined, directory: string): Promise<ConfigFile> {
  for (const name of path === undefined ? defaultNames : [path]) {
    const file = resolve(directory, name)
    const content = await load(file)
    if (content === undefined) {
      if (path !== undefined) throw new ConfigurationInvalid([`configuration file ${path} does not exist`])
      continue
    }
    const { module, payloads, ...config } = checked(content, name)
    const beside = (path: string): string => resolve(dirname(file), path)
    return {
      ...config,
      ...(module === undefined ? {} : { module: beside(module) }),
      ...(payloads === undefined
        ? {}
        : { payloads: isBlobContainer(payloads) ? payloads : beside(payloads) }),
    }
  }
  return {}
}

/**
 * Returns the path of the configuration file that `readConfigFile` reads, or null if there is none.
 */
export async function configFilePath(path: string | undefined, directory: string): Promise<string | null> {
  if (path !== undefined) return resolve(directory, path)
  for (const name of defaultNames) {
    const file = resolve(directory, name)
    const isThere = await access(file).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return null
}

async function load(file: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    return undefined
  }
  if (!file.endsWith('.json')) {
    const loaded = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
    return loaded.default ?? null
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new ConfigurationInvalid([`${file} is not JSON: ${String(error)}`])
  }
}

function checked(content: unknown, file: string): ConfigFile {
  const problems = isObject(content)
    ? readOptions(shape, content).problems
    : ['its content must be an object']
  if (problems.length > 0) throw new ConfigurationInvalid(problems.map((problem) => `${file}: ${problem}`))
  return withoutNulls(content) as ConfigFile
}

/** A null option means the default, so it is left out. */
function withoutNulls(content: unknown): unknown {
  if (!isObject(content)) return content
  const given = Object.entries(content).filter(([, value]) => value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name, withoutNulls(value)]))
}
