import { resolve } from 'node:path'
import { configFilePath, endpointOf, processSettings, type Settings } from '../../../connection/internal.js'
import { exitCodes } from '../../output/cli-error.js'
import { servePage } from '../../../page/index.js'
import { loadUserModule } from '../../input/user-module.js'
import { withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import type { Terminal } from '../../output/terminal.js'
import { untilTold } from '../../running/until-signal.js'
import { fleetControl } from '../../input/fleet-control.js'
import type { ScaleTargetOptions } from '../../input/scale-target.js'
import { whoAmI } from '../../input/who-am-i.js'
import { wholeNumber } from '../../input/whole-number.js'

export interface PageCommandOptions extends StoreOptions, ScaleTargetOptions {
  readonly port: string
  readonly workflows?: string
  readonly by?: string
}

/** Serves the page for operators until a signal stops the process. */
export async function page(options: PageCommandOptions, terminal: Terminal): Promise<number> {
  const port = wholeNumber('--port', options.port, { min: 0, max: 65_535 })
  return withExistingStore({ options, terminal }, async (settings) => {
    const module = options.workflows ?? settings.module
    const { workflows } = module === undefined ? { workflows: [] } : await loadUserModule(module)
    const show = (address: string): void => {
      if (options.json === true) terminal.print(JSON.stringify({ address }))
      else terminal.print(`for another browser: ${address}`)
    }
    const told = untilTold()
    const served = await servePage({
      settings,
      ...(options.data === undefined ? {} : { storeName: options.data }),
      storeArguments: await storeArguments(options, settings, process.cwd()),
      port,
      by: options.by ?? whoAmI(),
      workflows,
      module: module && resolve(module),
      fleet: await fleetControl(options),
      links: processSettings().answerLinks,
      onOpened: show,
    })
    try {
      if (options.json === true) terminal.print(JSON.stringify({ address: served.address }))
      else terminal.print(`open ${served.address}\nThe address signs in one browser. Ctrl-C ends the page.`)
      await told
    } finally {
      await served.close()
    }
    return exitCodes.ok
  })
}

/**
 * Returns the options with which other commands use the same store, from any directory and with another environment. A key
 * is never shown.
 */
export async function storeArguments(
  options: StoreOptions,
  settings: Settings,
  directory: string,
): Promise<readonly string[]> {
  const { database, container, leaseContainer } = settings
  const { data, config } = options
  const given = {
    '--endpoint': data === undefined ? endpointOf(settings) : undefined,
    '--database': database,
    '--container': container,
    '--lease-container': leaseContainer,
    '--data': data && resolve(directory, data),
    '--config': (await configFilePath(config, directory)) ?? undefined,
  }
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
}
