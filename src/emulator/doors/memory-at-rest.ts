import type { CosmosEngine, TextMemory } from '../engine/index.js'
import { systemClock } from '../../platform/index.js'

/** The length of the period in which an account must have only a few writes to be at rest. */
const restMs = 10_000

/** The most writes in this period. It is not zero, because the roles also renew their leases at rest. */
const fewWrites = 20

/** The part of the budget that documents may use at rest. */
const keptAtRest = 1 / 8

/**
 * Removes most documents from the memory of an account when the account comes to rest. Then its process can give memory
 * back. Later requests find the documents on disk.
 */
export class MemoryAtRest {
  private readonly unsubscribe: () => void
  private writes = 0
  private timer: { cancel: () => void } | null = null

  constructor(
    engine: Pick<CosmosEngine, 'writes'>,
    private readonly memory: TextMemory,
  ) {
    this.unsubscribe = engine.writes.subscribe(() => {
      this.writes += 1
      this.timer ??= this.timerFrom(this.writes)
    })
  }

  close(): void {
    this.unsubscribe()
    this.timer?.cancel()
  }

  private timerFrom(writes: number): { cancel: () => void } {
    return systemClock.schedule(restMs, () => {
      const isAtRest = this.writes - writes <= fewWrites
      this.timer = isAtRest ? null : this.timerFrom(this.writes)
      if (isAtRest) this.memory.trim(keptAtRest)
    })
  }
}
