import { appService, ResourceManager, type ScaleTarget } from '../../operations/index.js'
import { credential, processSettings, roles, rolesNamed } from '../../connection/internal.js'
import { localFleet, socketPath, stateDirectoryOf } from '../../fleet/index.js'
import { systemClock } from '../../platform/index.js'
import { systemRandom } from '../../platform/internal.js'
import { CliError, exitCodes } from '../output/cli-error.js'

export interface ScaleTargetOptions {
  readonly state?: string
  readonly appService?: string
  readonly resourceGroup?: string
  readonly subscription?: string
}

/** Returns the local fleet or the App Service app that the options choose. */
export async function scaleTargetOf(role: string, options: ScaleTargetOptions): Promise<ScaleTarget> {
  const { appService: name, resourceGroup, state } = options
  refuseUnknownRole(role)
  if (name === undefined) {
    if (resourceGroup !== undefined || options.subscription !== undefined) {
      throw new CliError('--resource-group and --subscription need --app-service NAME', exitCodes.usage)
    }
    return localFleet(socketPath(await stateDirectoryOf(state, process.cwd())), role)
  }
  if (resourceGroup === undefined) {
    throw new CliError(
      `--app-service ${name} needs --resource-group NAME, the resource group of the app`,
      exitCodes.usage,
    )
  }
  const { azureSubscription, azureEndpoint } = processSettings()
  const subscription = options.subscription ?? azureSubscription
  const azure = new ResourceManager({
    credential: await credential(),
    clock: systemClock,
    random: systemRandom,
    ...(azureEndpoint === undefined ? {} : { endpoint: azureEndpoint }),
  })
  return appService({ name, resourceGroup, ...(subscription === undefined ? {} : { subscription }) }, azure)
}

/** @throws CliError if this is neither a role nor `all` */
export function refuseUnknownRole(role: string): void {
  if (rolesNamed([role]) !== null) return
  const rule = `is not a role: it must be one of ${[...roles, 'all'].join(', ')}`
  throw new CliError(`${JSON.stringify(role)} ${rule}`, exitCodes.usage)
}
