import { resolve } from 'node:path'
import type { Command } from 'commander'
import { createInProcessCosmos } from '../emulator/index.js'
import { connect, readSettings, type Connection, type Settings } from '../host/index.js'
import type { JobClient } from '../sas/index.js'

/** The options by which a command finds its store. */
export interface StoreOptions {
  readonly endpoint?: string
  readonly key?: string
  readonly connectionString?: string
  readonly database?: string
  readonly container?: string
  readonly leaseContainer?: string
  /** Directory of an embedded store, opened in this process. */
  readonly data?: string
  readonly config?: string
  readonly json?: boolean
  readonly verbose?: boolean
}

/** Adds the options that every command has. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print the result as one JSON value')
    .option('--verbose', 'print the stack of an error')
}

/** Adds the options by which a command finds its store. */
export function withStoreOptions(command: Command): Command {
  return withCommonOptions(command)
    .option('--endpoint <url>', 'the account (or COSMOS_ENDPOINT)')
    .option('--key <key>', 'its key (or COSMOS_KEY); without one: Azure identity')
    .option('--connection-string <text>', 'both in one (or COSMOS_CONNECTION_STRING)')
    .option('--database <name>', 'default: stepward (or COSMOS_DATABASE)')
    .option('--container <name>', 'jobs and steps; default: state (or COSMOS_CONTAINER)')
    .option('--lease-container <name>', 'default: leases (or COSMOS_LEASE_CONTAINER)')
    .option('--data <dir>', 'an embedded store in this directory, instead of an account')
    .option('--config <file>', 'default: stepward.config.js or stepward.config.json')
}

/**
 * Runs `use` with what is configured: the store is an embedded one in `--data`, or the account named by flags,
 * environment or configuration file.
 */
export async function withSettings<T>(
  options: StoreOptions,
  use: (settings: Settings) => Promise<T>,
): Promise<T> {
  const { endpoint, key, connectionString, database, container, leaseContainer } = options
  const flags = { endpoint, key, connectionString, database, container, leaseContainer }
  const said = Object.fromEntries(
    Object.entries(flags).filter(([, value]) => value !== undefined),
  ) as Connection
  const settings = await readSettings({
    flags: said,
    directory: process.cwd(),
    ...(options.config === undefined ? {} : { configPath: options.config }),
  })
  if (options.data === undefined) return use(settings)
  const embedded = await createInProcessCosmos({ dataDirectory: resolve(options.data) })
  const client = embedded.client()
  try {
    return await use({ ...settings, client })
  } finally {
    client.dispose()
    await embedded.close()
  }
}

/** Runs `use` with a job client on the store, and closes it. */
export async function withClient<T>(
  options: StoreOptions,
  use: (client: JobClient, settings: Settings) => Promise<T>,
): Promise<T> {
  return withSettings(options, async (settings) => {
    const client = await connect(settings)
    try {
      return await use(client, settings)
    } finally {
      client.close()
    }
  })
}
