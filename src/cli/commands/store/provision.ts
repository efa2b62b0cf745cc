import { provision as provisionStore } from '../../../connection/internal.js'
import { exitCodes } from '../../output/cli-error.js'
import { withSettings } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import type { Terminal } from '../../output/terminal.js'

/** Creates the database and the containers if they are missing, and prints which of them existed already. */
export async function provision(options: StoreOptions, terminal: Terminal): Promise<number> {
  const done = await withSettings(options, provisionStore)
  if (options.json === true) {
    terminal.print(JSON.stringify(done))
    return exitCodes.ok
  }
  for (const { id, partitionKeyPath, isNew } of done.containers) {
    const state = isNew ? 'created' : 'existed, with the right settings'
    terminal.print(`${done.database}/${id} (partition key ${partitionKeyPath}): ${state}`)
  }
  return exitCodes.ok
}
