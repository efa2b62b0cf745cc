import { readConfigFile, type ConfigFile } from './config-file.js'
import { connectionFromEnvironment, endpointOf, type Connection } from './connection.js'
import { payloadsAt } from './azure/payloads-at.js'

/**
 * The settings from the command line. Other settings come from the environment and the configuration file.
 */
export interface SettingsSources {
  readonly flags: Connection & { readonly module?: string; readonly unitPrefix?: string }
  readonly configPath?: string
  readonly directory: string
}

/** The settings of the connection and of the configuration file together. */
export type Settings = Omit<ConfigFile, 'payloads'> & Connection

/** Returns all settings: flags win over the environment, and the environment over the configuration file. */
export async function readSettings(sources: SettingsSources): Promise<Settings> {
  const { payloads, ...others } = await readConfigFile(sources.configPath, sources.directory)
  const file: Settings = payloads === undefined ? others : { ...others, payloads: payloadsAt(payloads) }
  const environment = connectionFromEnvironment()
  const said = given(sources.flags)
  // The account comes from one source only. A connection string names a whole account, so it must not be
  // combined with the endpoint of another source.
  const account = [said, environment, file].find((source) => source.endpoint ?? source.connectionString) ?? {}
  const {
    endpoint: _endpoint,
    connectionString: _connectionString,
    ...rest
  } = { ...file, ...environment, ...said }
  const { endpoint } = account
  const isKeyed = rest.key !== undefined
  const { connectionString = isKeyed ? undefined : stringWithKey(endpoint, [environment, file]) } = account
  return { ...rest, ...given(connectionString === undefined ? { endpoint } : { connectionString }) }
}

/** Returns the connection string of the same account, whose key would otherwise be missing. */
function stringWithKey(endpoint: string | undefined, sources: readonly Connection[]): string | undefined {
  const wanted = endpoint?.replace(/\/$/, '')
  return sources.find((source) => endpointOf(source)?.replace(/\/$/, '') === wanted)?.connectionString
}

function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
