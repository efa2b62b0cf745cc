import { resolve } from 'node:path'
import { startEmulator } from '../../../emulator/index.js'
import { serveDoor } from '../../../engine-ports/index.js'
import {
  processSettings,
  provision,
  readSettings,
  roles,
  storeName,
  type Settings,
} from '../../../connection/internal.js'
import { startHost } from '../../../host/index.js'
import { Metrics } from '../../../host/internal.js'
import { systemClock } from '../../../platform/index.js'
import type { ServedPage } from '../../../page/index.js'
import { consoleLogger, fanOut } from '../../../telemetry/index.js'
import { keptVersionsMs } from '../../input/kept-versions.js'
import { exitCodes } from '../../output/cli-error.js'
import { openingData, payloadFolder } from '../../input/data-directory.js'
import type { Terminal } from '../../output/terminal.js'
import { whoAmI } from '../../input/who-am-i.js'
import { wholeNumber } from '../../input/whole-number.js'
import { collectAtRest } from '../../running/collect-at-rest.js'
import { untilTold } from '../../running/until-signal.js'
import { loadUserModule, modulePath, type UserModule } from '../../input/user-module.js'
import { emulatorOptions, type EmulatorCommandOptions } from './emulator.js'

export interface DevOptions extends EmulatorCommandOptions {
  readonly config?: string
  readonly verbose?: boolean
  /** Whether the roles use the store through the SDK, as they use an account. */
  readonly throughSdk?: boolean
  readonly page?: boolean
  readonly pagePort?: string
  readonly keepVersions?: string
}

/** Runs an embedded Cosmos DB and every role in one process until a signal stops the process. */
export async function dev(
  module: string | undefined,
  options: DevOptions,
  terminal: Terminal,
): Promise<number> {
  const { config, json, verbose } = options
  const { module: configuredModule, ...settings } = await readSettings({
    flags: {},
    directory: process.cwd(),
    ...(config === undefined ? {} : { configPath: config }),
  })
  const keepVersionsMs = keptVersionsMs(options.keepVersions)
  const path = modulePath(module, configuredModule, 'stepward dev')
  const { agents, workflows, schedules } = await loadUserModule(path)
  const account = emulatorOptions(options)
  const pagePort = pagePortOf(options)
  const open = (): ReturnType<typeof startEmulator> => startEmulator(account)
  const store = await (options.data === undefined ? open() : openingData(options.data, open))
  if (options.data !== undefined) serveDoor(store)
  const client = options.throughSdk === true ? store.client() : undefined
  const told = untilTold()
  try {
    const kept =
      options.data === undefined
        ? {}
        : { payloads: settings.payloads ?? payloadFolder(options.data, settings) }
    const where = { ...kept, ...(client === undefined ? { embedded: store } : { client }) }
    const level = verbose === true ? 'debug' : 'info'
    if (keepVersionsMs !== undefined) await provision({ ...settings, embedded: store }, { keepVersionsMs })
    const metrics = new Metrics(systemClock.now())
    const host = await startHost({
      ...settings,
      roles,
      ...where,
      agents,
      schedules,
      telemetry: fanOut(consoleLogger({ level }), metrics),
    })
    const { endpoint, key } = store
    try {
      const page = await devPage(
        {
          settings: { ...settings, ...where },
          endpoint,
          workflows,
          pagePort,
          hostCharges: () => metrics.charges,
        },
        options,
        terminal,
      )
      noteOtherStore(settings, endpoint, terminal)
      const names = workflows.map((workflow) => workflow.name)
      if (json === true)
        terminal.print(JSON.stringify({ endpoint, key, workflows: names, page: page?.address ?? null }))
      else terminal.print(howToGoOn({ endpoint, key, path, workflows, page: page?.address ?? null }))
      const endCollecting = collectAtRest()
      await told
      endCollecting()
      await page?.close()
    } finally {
      await host.stop()
    }
  } finally {
    client?.dispose()
    await store.close()
  }
  return exitCodes.ok
}

interface DevStore {
  readonly settings: Settings
  readonly endpoint: string
  readonly workflows: UserModule['workflows']
  /** The port of the page, or null for the usual one. */
  readonly pagePort: number | null
  /** What the roles of this process have used. */
  readonly hostCharges: () => Metrics['charges']
}

function pagePortOf({ page, pagePort }: DevOptions): number | null {
  if (page === false || pagePort === undefined) return null
  return wholeNumber('--page-port', pagePort, { min: 0, max: 65_535 })
}

/** Serves the page for operators, unless it is switched off. */
async function devPage(
  { settings, endpoint, workflows, pagePort, hostCharges }: DevStore,
  { page, data, json }: DevOptions,
  terminal: Terminal,
): Promise<ServedPage | null> {
  if (page === false) return null
  const { servePage } = await import('../../../page/index.js')
  return servePage({
    settings,
    storeName: data ?? endpoint,
    storeArguments: data === undefined ? ['--endpoint', endpoint] : ['--data', resolve(data)],
    port: pagePort,
    by: whoAmI(),
    workflows,
    hostCharges,
    links: processSettings().answerLinks,
    onOpened: (address) => {
      if (json !== true) terminal.print(`for another browser: ${address}`)
    },
  })
}

/** Says that the store of the settings is not used, because the user may expect to find the jobs there. */
function noteOtherStore(settings: Settings, endpoint: string, terminal: Terminal): void {
  if (settings.endpoint === undefined && settings.connectionString === undefined) return
  const { connectionString: _connectionString, ...others } = settings
  const [named, used] = [storeName(settings), storeName({ ...others, endpoint })]
  if (named === used) return
  terminal.note(`stepward dev uses its embedded store, not ${named}; "stepward start" uses that store`)
}

interface Running {
  readonly endpoint: string
  readonly key: string
  readonly path: string
  readonly workflows: UserModule['workflows']
  /** The address that signs in a browser, or null if no page is served. */
  readonly page: string | null
}

function howToGoOn({ endpoint, key, path, workflows, page }: Running): string {
  return [
    `scheduler, agents, supervisor and notifier run on ${endpoint}; in another terminal:`,
    `  export COSMOS_ENDPOINT=${endpoint} COSMOS_KEY=${key}`,
    ...workflows.map(({ name, submission }) =>
      submission.jobId === undefined
        ? `  (a program submits ${name}, or define its jobId for "stepward submit")`
        : `  npx stepward submit ${name} FILE.jsonl --workflows ${path} --wait`,
    ),
    '  npx stepward list',
    ...(page === null ? [] : [`or in a browser of this machine: ${page}`]),
    'Ctrl-C stops it.',
  ].join('\n')
}
