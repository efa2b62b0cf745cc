import { ConfigurationInvalid } from '../../connection/index.js'
import { FleetNotRunning, fleetPlace, fleetStatus, socketPath, stateDirectoryOf } from '../../fleet/index.js'
import type { ScaleTarget } from '../../operations/index.js'
import { scaleTargetOf, type ScaleTargetOptions } from './scale-target.js'

/**
 * Lets the processes of a local fleet look for leases. Returns their names.
 *
 * @throws FleetNotRunning if no fleet runs there, or ConfigurationInvalid if it has no such role
 */
export async function rebalanceFleet(
  state: string | undefined,
  role: string | undefined,
  isDryRun: boolean,
): Promise<readonly string[]> {
  const path = socketPath(await stateDirectoryOf(state, process.cwd()))
  const named = role === undefined ? {} : { role }
  const { rows, wanted } = await fleetStatus(
    path,
    isDryRun ? { command: 'status' } : { command: 'rebalance', ...named },
  )
  if (role !== undefined && !(role in wanted)) {
    const known = Object.keys(wanted).join(', ')
    throw new ConfigurationInvalid([`this fleet has no role ${JSON.stringify(role)}: it runs ${known}`])
  }
  return rows.filter((row) => role === undefined || row.role === role).map((row) => row.instanceName)
}

/**
 * Returns what a request to the fleet returns. If no fleet answers, the error says what the person at the page can do.
 * This person may sit at another machine.
 */
async function askedAtPage<T>(state: string | undefined, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof FleetNotRunning)) throw error
    const given = state === undefined ? '' : ` --state ${state}`
    const advice =
      `on the machine that serves this page, start it with "stepward start --role ROLE --instances N${given}" in ` +
      `${process.cwd()}; if it runs in another folder, start this page again with the --state DIRECTORY of the fleet`
    throw new FleetNotRunning(error.path, { cause: error }, advice)
  }
}

/** The instances that a page scales and rebalances, as the options of its command choose them. */
export async function fleetControl(options: ScaleTargetOptions) {
  const { state, appService, resourceGroup, subscription } = options
  const place = (): Promise<string> => stateDirectoryOf(state, process.cwd())
  const given = {
    // Copied commands then find the same fleet from any directory.
    '--state': appService === undefined ? await place().catch(() => state) : undefined,
    '--app-service': appService,
    '--resource-group': resourceGroup,
    '--subscription': subscription,
  }
  let app: Promise<ScaleTarget> | null = null
  return {
    options: Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    place: appService === undefined ? fleetPlace() : `app ${appService}`,
    targetOf: async (role: string): Promise<ScaleTarget> => {
      const target = await scaleTargetOf(role, options)
      return {
        ...target,
        instances: () => askedAtPage(state, () => target.instances()),
        scale: (count) => askedAtPage(state, () => target.scale(count)),
      }
    },
    wanted: async () => {
      if (appService !== undefined) {
        const target = await (app ??= scaleTargetOf('all', options))
        return { counts: { [target.name]: await target.instances() }, isByRole: false, problem: null }
      }
      try {
        const path = socketPath(await place())
        const { wanted } = await askedAtPage(state, () => fleetStatus(path, { command: 'counts' }))
        return { counts: wanted, isByRole: true, problem: null }
      } catch (error) {
        if (!(error instanceof FleetNotRunning)) throw error
        return { counts: {}, isByRole: true, problem: error.message }
      }
    },
    rebalance: (role: string | undefined, isDryRun: boolean): Promise<readonly string[]> => {
      if (appService === undefined) return askedAtPage(state, () => rebalanceFleet(state, role, isDryRun))
      const why = `app ${appService} cannot be asked to rebalance`
      const advice = 'its instances look for leases by themselves every few seconds'
      return Promise.reject(new ConfigurationInvalid([`${why}: ${advice}`]))
    },
  }
}
