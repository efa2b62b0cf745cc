import type { Command } from 'commander'

export interface StoreOptions {
  readonly endpoint?: string
  readonly key?: string
  readonly connectionString?: string
  readonly database?: string
  readonly container?: string
  readonly leaseContainer?: string
  /** The directory of an embedded store, which this process opens. */
  readonly data?: string
  /** Whether the roles use the embedded store through the SDK, as they use an account. */
  readonly throughSdk?: boolean
  readonly config?: string
  readonly json?: boolean
  readonly verbose?: boolean
}

export function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print the result as one JSON value')
    .option('--verbose', 'print the stack of an error')
}

export function withStoreOptions(command: Command): Command {
  return withCommonOptions(command)
    .option('--endpoint <url>', 'the account (or COSMOS_ENDPOINT)')
    .option('--key <key>', 'the key of the account (or COSMOS_KEY); without a key: Azure identity')
    .option('--connection-string <text>', 'endpoint and key in one text (or COSMOS_CONNECTION_STRING)')
    .option('--database <name>', 'the database; default: stepward (or COSMOS_DATABASE)')
    .option(
      '--container <name>',
      'the container whose changes are read; default: state (or COSMOS_CONTAINER)',
    )
    .option(
      '--lease-container <name>',
      'the container of the leases; default: leases (or COSMOS_LEASE_CONTAINER)',
    )
    .option('--data <dir>', 'an embedded store in this directory, instead of an account')
    .option('--through-sdk', 'with --data: use the store through the SDK, as an account is used')
    .option('--config <file>', 'the configuration; default: stepward.config.js or stepward.config.json')
}

/** Adds the options that choose the instances to scale. By default, the command scales the local fleet. */
export function withScaleTarget(command: Command): Command {
  return command
    .option('--state <dir>', 'the directory of the local fleet, as given to "stepward start"')
    .option('--app-service <name>', 'an app of Azure App Service instead')
    .option('--resource-group <name>', 'the resource group of the app; --app-service needs it')
    .option(
      '--subscription <id>',
      'the subscription of the app; default: AZURE_SUBSCRIPTION_ID, or the only one that this login sees',
    )
}

/** The options that select leases of any change feed processor. */
export interface UnitOptions extends StoreOptions {
  readonly processor?: string
}

export function withUnitOptions(command: Command): Command {
  return withStoreOptions(command).option(
    '--processor <name>',
    'only this processor; default: all processors that read --container',
  )
}
