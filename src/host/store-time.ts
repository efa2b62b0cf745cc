import type { CosmosClient } from '@azure/cosmos'
import { observeRequests, storeTimeMs } from '../../lease-store/index.js'
import { StoreClock, type Clock } from '../platform/index.js'
import type { Telemetry } from '../telemetry/index.js'

/** A machine's clock that is further off than this is worth a word; hosts bear as much (`deadlineGraceMs`). */
const bearableMs = 2_000

/** A clock that follows the store's, and how to end that. */
export interface StoreTime {
  readonly clock: StoreClock
  readonly end: () => void
}

/** Keeps a clock by what every answer to this client tells of the store's time, and says when the machine's is off. */
export function storeTimeOf(client: CosmosClient, clock: Clock, telemetry: Telemetry): StoreTime {
  let saidMs = 0
  const onLearned = (correctionMs: number): void => {
    const isOff = Math.abs(correctionMs) >= bearableMs
    const isNews = isOff && Math.abs(correctionMs - saidMs) >= bearableMs
    if (isNews) telemetry.emit({ type: 'host.advised', advice: adviceOn(correctionMs) })
    if (isNews || !isOff) saidMs = isOff ? correctionMs : 0
  }
  const storeClock = new StoreClock(clock, onLearned)
  const end = observeRequests(client, () => {
    const answered = storeClock.sent()
    return ({ headers }) => answered(storeTimeMs(headers))
  })
  return { clock: storeClock, end }
}

function adviceOn(correctionMs: number): string {
  const direction = correctionMs > 0 ? 'behind' : 'ahead of'
  const seconds = Math.round(Math.abs(correctionMs) / 1_000)
  const rule = "deadlines follow the store's: set the clock right, also while this process runs"
  return `this machine's clock is ${seconds} s ${direction} the store's; ${rule}`
}
