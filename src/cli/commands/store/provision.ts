import { provision as provisionStore } from '../../../connection/internal.js'
import { keptVersionsMs } from '../../input/kept-versions.js'
import { exitCodes } from '../../output/cli-error.js'
import { withSettings } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import type { Terminal } from '../../output/terminal.js'

export interface ProvisionOptions extends StoreOptions {
  readonly keepVersions?: string
}

/** Creates the database and the containers if they are missing, and prints which of them existed already. */
export async function provision(options: ProvisionOptions, terminal: Terminal): Promise<number> {
  const keepVersionsMs = keptVersionsMs(options.keepVersions)
  const done = await withSettings(options, (settings) => provisionStore(settings, { keepVersionsMs }))
  if (options.json === true) {
    terminal.print(JSON.stringify(done))
    return exitCodes.ok
  }
  for (const { id, partitionKeyPath, isNew } of done.containers) {
    const state = isNew ? 'created' : 'existed, with the right settings'
    terminal.print(`${done.database}/${id} (partition key ${partitionKeyPath}): ${state}`)
  }
  if (options.keepVersions !== undefined)
    terminal.print(`from now on, all versions are kept for ${options.keepVersions}`)
  return exitCodes.ok
}
