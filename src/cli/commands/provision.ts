import { provision as provisionStore } from '../../host/index.js'
import { exitCodes } from '../cli-error.js'
import { withSettings } from '../store.js'
import type { StoreOptions } from '../store-options.js'
import type { Terminal } from '../terminal.js'

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
