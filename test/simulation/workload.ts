import { monitored } from './processor-unit.js'
import type { World } from '../../src/testing/world.js'

/** The rate and spread of writes into the monitored container. */
export interface WorkloadOptions {
  readonly world: World
  readonly keyCount: number
  /** The average time between two writes. */
  readonly intervalMs: number
}

/** The share of writes that change an existing document. */
const updateShare = 1 / 3

/** Writes documents of many keys until it is stopped. Numbers the changes of each key. */
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

  /** Writes documents of one key in one transaction. */
  writeTogether(count: number): void {
    const pk = this.anyKey()
    const operations = Array.from({ length: count }, () => {
      const place = this.nextPlace(pk)
      return { kind: 'upsert', document: { id: `${pk}-${place}`, pk, place } } as const
    })
    this.options.world.container(monitored).batch([pk], operations)
  }

  write(): void {
    const { world } = this.options
    const pk = this.anyKey()
    const place = this.nextPlace(pk)
    const isUpdate = place > 1 && world.random.next() < updateShare
    const number = isUpdate ? 1 + Math.floor(world.random.next() * (place - 1)) : place
    world
      .container(monitored)
      .execute([pk], { kind: 'upsert', document: { id: `${pk}-${number}`, pk, place } })
  }

  private anyKey(): string {
    const { world, keyCount } = this.options
    return `key-${Math.floor(world.random.next() * keyCount)}`
  }

  private nextPlace(key: string): number {
    const place = (this.places.get(key) ?? 0) + 1
    this.places.set(key, place)
    return place
  }
}
