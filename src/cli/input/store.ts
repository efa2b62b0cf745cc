import { resolve } from 'node:path'
import type { AttachedAccount, InProcessCosmos } from '../../emulator/index.js'
import type { Connection } from '../../connection/index.js'
import {
  connectWithPorts,
  ownCosmosClient,
  readSettings,
  reportWrites,
  storeName,
  type Settings,
} from '../../connection/internal.js'
import type { UnitSelection } from '../../operations/index.js'
import { systemClock } from '../../platform/index.js'
import { systemRandom, withinLimit } from '../../platform/internal.js'
import type { JobClient } from '../../sas/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import { silent } from '../../telemetry/internal.js'
import { CliError, exitCodes } from '../output/cli-error.js'
import {
  holdsStore,
  openedStore,
  payloadFolder,
  refuseFile,
  StoreSuccessor,
  watchedDirectory,
} from './data-directory.js'
import type { StoreOptions, UnitOptions } from './store-options.js'
import type { Terminal } from '../output/terminal.js'

/**
 * Runs `use` for one command, with the settings of the embedded store in `--data`, or of the configured account.
 */
export async function withSettings<T>(
  options: StoreOptions,
  use: (settings: Settings) => Promise<T>,
): Promise<T> {
  return withStore(options, await settingsOf(options), use, 'forAMoment')
}

/**
 * Reads the settings. With `--data`, an endpoint of the environment or of the configuration file does not count.
 *
 * @throws CliError if the options name two stores
 */
export async function settingsOf(options: StoreOptions): Promise<Settings> {
  const { endpoint, key, connectionString, database, container, leaseContainer, data } = options
  const others = Object.entries({
    '--endpoint': endpoint,
    '--key': key,
    '--connection-string': connectionString,
  })
  const named = others.flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (data !== undefined && named.length > 0) {
    const rule = `--data names an embedded store, and ${named.join(' and ')} an account`
    throw new CliError(`${rule}: pass one or the other`, exitCodes.usage)
  }
  const flags = { endpoint, key, connectionString, database, container, leaseContainer }
  const said = Object.fromEntries(
    Object.entries(flags).filter(([, value]) => value !== undefined),
  ) as Connection
  return readSettings({
    flags: said,
    directory: process.cwd(),
    ...(options.config === undefined ? {} : { configPath: options.config }),
  })
}

/**
 * Who opens an embedded store that no process has open: this process, also when another process that has it open ends (`self`); a
 * command, which closes it a little later if other processes use it (`forAMoment`); or the parent of this process.
 */
export type StoreHolder = 'self' | 'forAMoment' | 'parent'

/** How long a command that is done keeps the store open for other commands that use it through this process. */
const keepsOpenMs = 15_000

/**
 * Runs `use`, with settings for the embedded store if `--data` is given. If another process has the store
 * open, uses it through that process. Otherwise opens the store, and closes it afterwards.
 */
export async function withStore<T>(
  options: StoreOptions,
  settings: Settings,
  use: (settings: Settings) => Promise<T>,
  holder: StoreHolder,
): Promise<T> {
  const { data } = options
  if (data === undefined) {
    refuseNoStore(settings)
    return use(settings)
  }
  refuseFile(data)
  const dataDirectory = resolve(data)
  const own = { ...settings, payloads: settings.payloads ?? payloadFolder(dataDirectory, settings) }
  // A process that uses an account, or the store of another process, starts sooner without the emulator.
  const { accountClosed, attachedWith, isAccountOpen, lastHolder } = await attaching()
  if (holder === 'parent') await openByParent(() => isAccountOpen(dataDirectory))
  const isThroughSdk = options.throughSdk === true
  const attach = (): Promise<AttachedAccount | null> => attachedWith(dataDirectory, ownCosmosClient)
  const opened = await attachedOrOpened({
    attach,
    isOpen: () => isAccountOpen(dataDirectory),
    holder: () => lastHolder(dataDirectory),
    open: () => {
      if (holder === 'parent') throw notOpen()
      return openedStore(data)
    },
  })
  if ('attached' in opened) {
    const { attached } = opened
    const successor = new StoreSuccessor(dataDirectory, {
      isOpen: () => isAccountOpen(dataDirectory),
      closed: (signal) => accountClosed(dataDirectory, signal),
    })
    if (holder === 'self') successor.start()
    try {
      return await (isThroughSdk ? withSdkOf(attached, own, use) : use({ ...own, embedded: attached }))
    } finally {
      attached.release()
      await successor.end()
    }
  }
  const { embedded } = opened
  const client = isThroughSdk ? embedded.client() : undefined
  const watch = holder === 'forAMoment' ? null : watchedDirectory(dataDirectory)
  try {
    return await use({ ...own, ...(client === undefined ? { embedded } : { client }) })
  } finally {
    client?.dispose()
    await watch?.stop()
    if (holder === 'forAMoment')
      await withinLimit(systemClock, keepsOpenMs, embedded.whenUnused(), () => undefined)
    await embedded.close()
  }
}

/**
 * How long commands may take to agree on which of them opens the store, how long a command waits for a process that opens or
 * closes it, and the longest pause between two tries.
 */
const [agreeWithinMs, waitsForOtherMs, tryAgainMs] = [3_000, 20_000, 200]

interface Opening {
  readonly attach: () => Promise<AttachedAccount | null>
  /** Checks whether a process has the store open, or opens it at this moment. */
  readonly isOpen: () => Promise<boolean>
  readonly open: () => Promise<InProcessCosmos>
  /** Returns the id of the process that has the store open, or null if it is unknown. */
  readonly holder: () => number | null
}

/** Attaches to the process that has the store open, or opens it. Other processes may do the same at the same moment. */
async function attachedOrOpened({
  attach,
  isOpen,
  open,
  holder,
}: Opening): Promise<{ readonly attached: AttachedAccount } | { readonly embedded: InProcessCosmos }> {
  const begunMs = systemClock.monotonic()
  let openMs = begunMs
  for (;;) {
    try {
      const attached = await attach()
      return attached === null ? { embedded: await open() } : { attached }
    } catch (error) {
      if (await isOpen()) openMs = systemClock.monotonic()
      const now = systemClock.monotonic()
      const mayPass = now - begunMs < waitsForOtherMs && now - openMs < agreeWithinMs
      if (error instanceof Error && error.name === 'StoreSilent') throw lostStore(error, holder())
      if (!isOfOthers(error)) throw error
      if (!mayPass) throw error.name === 'DirectoryInUse' ? error : lostStore(error, holder())
      // Many commands may wait, so their next tries are spread.
      await systemClock.sleep(tryAgainMs * (0.5 + systemRandom.next() / 2))
    }
  }
}

function lostStore(cause: Error, holder: number | null): CliError {
  const which = `the process that has the embedded store open${holder === null ? '' : ` (process ${holder})`}`
  const reason = cause.name === 'StoreSilent' ? '' : ` (${cause.message})`
  const message = `${which} does not answer${reason}: continue it if it is paused, or end it, and try again`
  return new CliError(message, exitCodes.store, { cause })
}

/** Checks whether the error means that another process opens or closes the store at this moment. */
function isOfOthers(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return error.name === 'DirectoryInUse' || ['ECONNRESET', 'ECONNREFUSED', 'ENOENT', 'EPIPE'].includes(code)
}

/** Refuses settings that name no store. The library names the same settings in the words of programs. */
export function refuseNoStore({ endpoint, connectionString }: Settings): void {
  if ((endpoint ?? connectionString) !== undefined) return
  const variables = 'set COSMOS_ENDPOINT or COSMOS_CONNECTION_STRING'
  const message = `no store is named: pass --endpoint (or --data for an embedded one), or ${variables}`
  throw new CliError(message, exitCodes.usage)
}

/**
 * Loads what {@link withStore} and the connection load only when they are called, so that a process in reserve has it
 * before it begins.
 */
export async function loadForStore({ data }: StoreOptions): Promise<void> {
  await ownCosmosClient()
  if (data !== undefined) await Promise.all([attaching(), import('../../engine-ports/internal.js')])
}

function attaching() {
  return import('../../emulator/attach/attached-account.js')
}

/** The time within which a parent opens the store after another process that had it open has ended. */
const parentOpensWithinMs = 10_000

/**
 * Waits until a process has the store open. A child of a fleet never opens it: if its parent was killed, the child ends
 * soon, and the next parent must open the store instead of using it through the child.
 */
async function openByParent(isOpen: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < parentOpensWithinMs && process.connected; waitedMs += 500) {
    if (await isOpen()) return
    await systemClock.sleep(500)
  }
  throw notOpen()
}

function notOpen(): CliError {
  return new CliError('the parent process no longer has the embedded store open', exitCodes.failed)
}

async function withSdkOf<T>(
  account: AttachedAccount,
  settings: Settings,
  use: (settings: Settings) => Promise<T>,
): Promise<T> {
  const { watchThroughDoor } = await import('../../engine-ports/internal.js')
  const client = account.client()
  // The SDK does not learn of writes, so the local door tells the roles.
  reportWrites(client, (database, container, onWrite) =>
    watchThroughDoor(account, systemClock, { database, container, onWrite }),
  )
  try {
    return await use({ ...settings, client })
  } finally {
    client.dispose()
  }
}

export interface Asked<O extends StoreOptions = StoreOptions> {
  readonly options: O
  readonly terminal: Terminal
}

/**
 * Runs `use` with the settings of a store that must exist. On a terminal, prints the store's name on standard
 * error, in case the user meant another store.
 */
export async function withExistingStore<T>(
  { options, terminal }: Asked,
  use: (settings: Settings) => Promise<T>,
): Promise<T> {
  if (options.data !== undefined) refuseFile(options.data)
  if (options.data !== undefined && !holdsStore(options.data)) {
    const advice = `check the directory, or create a store with "stepward provision --data ${options.data}"`
    throw new CliError(`--data ${options.data} holds no embedded store: ${advice}`, exitCodes.usage)
  }
  return withSettings(options, (settings) => {
    const { database = 'stepward', container = 'state' } = settings
    const name = options.data === undefined ? storeName(settings) : `${options.data} ${database}/${container}`
    if (options.json !== true && terminal.isInteractive) terminal.note(`store: ${name}`)
    return use({ ...settings, provision: false })
  })
}

/** Runs `use` with the deployment units that a command selects. The store must exist. */
export function withUnits<T>(
  { options, terminal }: Asked<UnitOptions>,
  use: (selection: UnitSelection) => Promise<T>,
): Promise<T> {
  const chosen = options.processor === undefined ? {} : { processorName: options.processor }
  return withExistingStore({ options, terminal }, (settings) => use({ ...settings, ...chosen }))
}

export async function withClient<T>(
  settings: Settings,
  use: (client: JobClient) => Promise<T>,
  telemetry: Telemetry = silent,
): Promise<T> {
  const { client, close } = await connectWithPorts({ ...settings, telemetry })
  try {
    return await use(client)
  } finally {
    await close()
  }
}
