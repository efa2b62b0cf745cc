import { readConfigFile, type ConfigFile } from './config-file.js'
import { connectionFromEnvironment, type Connection } from './connection.js'

/** What a command line may say; everything else comes from the environment and the configuration file. */
export interface SettingsSources {
  readonly flags: Connection & { readonly module?: string; readonly unitPrefix?: string }
  /** The configuration file named on the command line. */
  readonly configPath?: string
  /** Where default configuration files are looked for. */
  readonly directory: string
}

/** Everything that may be configured. */
export type Settings = ConfigFile & Connection

/** Everything configured: flags before environment before configuration file. */
export async function readSettings(sources: SettingsSources): Promise<Settings> {
  const file = await readConfigFile(sources.configPath, sources.directory)
  const environment = connectionFromEnvironment()
  const said = given(sources.flags)
  // A connection string names a whole account: beside an endpoint from a stronger source it must not count.
  const account = [said, environment, file].find((source) => source.endpoint ?? source.connectionString) ?? {}
  const {
    endpoint: _endpoint,
    connectionString: _connectionString,
    ...rest
  } = { ...file, ...environment, ...said }
  const { endpoint, connectionString } = account
  return { ...rest, ...given({ endpoint, connectionString }) }
}

/** Without the properties that are undefined. */
function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
