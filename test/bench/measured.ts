import type { Effort, Figure } from './figure.js'
import { changeFeed, durableWrites, filter, memory } from './in-process.js'
import { overHttp } from './over-http.js'
import { starts } from './starts.js'

/**
 * Measures everything, one after the other.
 * @param cli the built program
 */
export async function measured(effort: Effort, cli: string): Promise<readonly Figure[]> {
  return [
    ...(await starts(cli, effort)),
    ...(await overHttp(effort)),
    ...(await durableWrites(effort)),
    ...(await changeFeed(effort)),
    ...(await filter(effort)),
    ...(await memory(effort)),
  ]
}
