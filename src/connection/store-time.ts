import type { CosmosClient } from '@azure/cosmos'
import { observeRequests, storeTimeMs } from '../../lease-store/internal.js'
import type { Clock } from '../platform/index.js'
import { StoreClock } from '../platform/internal.js'
import type { Telemetry } from '../telemetry/index.js'

/** The smallest clock error that the host reports. Hosts tolerate smaller errors (`deadlineGrace`). */
const toleratedMs = 2_000

export interface StoreTime {
  readonly clock: StoreClock
  /** Stops reading the time from answers. */
  readonly end: () => void
}

/** Follows the store's time, which every answer contains. Reports if this machine's clock is wrong. */
export function storeTimeOf(client: CosmosClient, clock: Clock, telemetry: Telemetry): StoreTime {
  let saidMs = 0
  const onLearned = (correctionMs: number): void => {
    const isOff = Math.abs(correctionMs) >= toleratedMs
    const isNews = isOff && Math.abs(correctionMs - saidMs) >= toleratedMs
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
  const rule = "deadlines use the store's time: correct the clock; this process can keep running"
  return `this machine's clock is ${seconds} s ${direction} the store's; ${rule}`
}
