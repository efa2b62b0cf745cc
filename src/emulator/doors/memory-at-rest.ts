import type { CosmosEngine, TextMemory } from '../engine/index.js'
import { systemClock } from '../../platform/index.js'

/** The time with only a few writes after which the account counts as at rest. Renewals of leases are a few. */
const [restMs, fewWrites] = [10_000, 20]

/** The part of its bytes that the memory keeps at rest. */
const keptAtRest = 1 / 8

/**
 * Lets most documents leave the memory of an account when it comes to rest, so that its process can give memory back.
 * Later requests find them on disk.
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
