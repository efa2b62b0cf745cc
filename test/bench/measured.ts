import type { Effort, Figure, Programs } from './figure.js'
import { changeFeed, durableWrites, filter, memory } from './in-process.js'
import { overHttp } from './over-http.js'
import { queries } from './queries.js'
import { starts } from './starts.js'

/** Makes all measurements, one after the other. */
export async function measured(effort: Effort, programs: Programs): Promise<readonly Figure[]> {
  return [
    ...(await starts(programs, effort)),
    ...(await overHttp(programs, effort)),
    ...(await durableWrites(effort)),
    ...(await changeFeed(effort)),
    ...(await filter(effort)),
    ...(await queries(effort)),
    ...(await memory(effort)),
  ]
}
