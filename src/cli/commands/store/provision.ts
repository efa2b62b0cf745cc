import { provision as provisionStore } from '../../../connection/index.js'
import { exitCodes } from '../../output/cli-error.js'
import { withSettings } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import type { Terminal } from '../../output/terminal.js'

/** Makes the database and the containers that are missing, and says what was there. */
export async function provision(options: StoreOptions, terminal: Terminal): Promise<number> {
  const done = await withSettings(options, provisionStore)
  if (options.json === true) {
    terminal.print(JSON.stringify(done))
    return exitCodes.ok
  }
  for (const { id, partitionKeyPath, isNew } of done.containers) {
    const state = isNew ? 'created' : 'was there, as it must be'
    terminal.print(`${done.database}/${id} (partition key ${partitionKeyPath}): ${state}`)
  }
  return exitCodes.ok
}
