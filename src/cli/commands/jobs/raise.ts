import { withClient, withExistingStore } from '../../input/store.js'
import { readJsonFile } from '../../input/json-file.js'
import type { StoreOptions } from '../../input/store-options.js'
import { exitCodes } from '../../output/cli-error.js'
import type { Terminal } from '../../output/terminal.js'

export interface RaiseOptions extends StoreOptions {
  /** A JSON file with the payload. */
  readonly payload?: string
  /** The name of the event, if the step collects events. */
  readonly eventKey?: string
}

/** Raises the event of a step that waits for one. */
export async function raise(
  jobId: string,
  step: string,
  options: RaiseOptions,
  terminal: Terminal,
): Promise<number> {
  const { eventKey: key } = options
  const payload = options.payload === undefined ? null : await readJsonFile('--payload', options.payload)
  await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) =>
      client.raiseEvent(jobId, step, payload, key === undefined ? {} : { key }),
    ),
  )
  if (options.json === true)
    terminal.print(
      JSON.stringify({ command: 'raise', jobId, step, ...(key !== undefined && { eventKey: key }) }),
    )
  else terminal.print(`the event of step ${step} of job ${jobId} is raised`)
  return exitCodes.ok
}
