import { monitored } from './processor-unit.js'
import type { World } from './world.js'

/** How much is written into the monitored container from outside. */
export interface WorkloadOptions {
  readonly world: World
  readonly keyCount: number
  /** Between two writes, on average. */
  readonly intervalMs: number
}

/** One write in three changes a document that is there. */
const updateShare = 1 / 3

/** Writes documents of many keys, numbering the changes of each key, until it is stopped. */
export class Workload {
  private readonly places = new Map<string, number>()
  private isOver = false

  constructor(private readonly options: WorkloadOptions) {}

  start(): void {
    const { world, intervalMs } = this.options
    world.time.schedule(world.random.next() * 2 * intervalMs, () => {
      if (this.isOver) return
      this.write()
      this.start()
    })
  }

  stop(): void {
    this.isOver = true
  }

  write(): void {
    const { world, keyCount } = this.options
    const pk = `key-${Math.floor(world.random.next() * keyCount)}`
    const place = (this.places.get(pk) ?? 0) + 1
    this.places.set(pk, place)
    const isUpdate = place > 1 && world.random.next() < updateShare
    const number = isUpdate ? 1 + Math.floor(world.random.next() * (place - 1)) : place
    world
      .container(monitored)
      .execute([pk], { kind: 'upsert', document: { id: `${pk}-${number}`, pk, place } })
  }
}
