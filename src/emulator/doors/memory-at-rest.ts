import type { CosmosEngine, TextMemory } from '../engine/index.js'
import { systemClock } from '../../platform/index.js'

/** An account is at rest if it had at most so many writes in so much time. Leases are renewed at rest, too. */
const [restMs, fewWrites] = [10_000, 20]

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
