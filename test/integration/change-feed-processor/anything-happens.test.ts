import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorWorld, type ProcessorWorld, type TestInstance } from '../../support/processor-world.js'

/** An event that a deployment unit may meet. */
type Happening =
  | { readonly kind: 'write'; readonly count: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'join' }
  | { readonly kind: 'stop' | 'freeze'; readonly which: number }
  | { readonly kind: 'split'; readonly which: number }
  | { readonly kind: 'failDelegates'; readonly times: number }

const which = fc.nat(7)
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write'), count: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.integer({ min: 0, max: 40_000 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('join') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('stop', 'freeze'), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('split'), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('failDelegates'), times: fc.integer({ min: 1, max: 3 }) }),
  },
)

class Unit {
  private readonly all: TestInstance[] = []
  private alive: TestInstance[] = []
  private failuresLeft = 0
  private splits = 0
  readonly written: string[] = []

  constructor(private readonly world: ProcessorWorld) {}

  async let(event: Happening): Promise<void> {
    switch (event.kind) {
      case 'write':
        for (let left = event.count; left > 0; left -= 1) await this.write()
        return
      case 'pass':
        return this.world.clock.advance(event.ms)
      case 'join':
        return this.join()
      case 'stop':
        return this.leave(event.which, (instance) => instance.processor.stop())
      case 'freeze':
        return this.leave(event.which, async (instance) => {
          instance.cutOff()
        })
      case 'split':
        return this.split(event.which)
      case 'failDelegates':
        this.failuresLeft = event.times
    }
  }

  async join(): Promise<void> {
    const instance = await this.world.instance(`instance-${this.all.length}`, {
      maxItemCount: 3,
      onChanges: () => {
        if (this.failuresLeft === 0) return
        this.failuresLeft -= 1
        throw new Error('not now')
      },
    })
    this.all.push(instance)
    this.alive.push(instance)
    const starting = instance.processor.start()
    await this.world.clock.advance(35_000)
    await starting
  }

  delivered(): Set<string> {
    return new Set(this.all.flatMap((instance) => instance.delivered))
  }

  async leaseCounts(): Promise<number[]> {
    const owners = Object.values(await this.world.owners())
    expect(owners).not.toContain(null)
    return this.alive.map(
      (instance) => owners.filter((owner) => owner === `instance-${this.all.indexOf(instance)}`).length,
    )
  }

  async leaseCount(): Promise<number> {
    return Object.keys(await this.world.owners()).length
  }

  async stop(): Promise<void> {
    for (const instance of this.alive) await instance.processor.stop()
  }

  private async write(): Promise<void> {
    const id = `d${this.written.length}`
    this.written.push(id)
    await this.world.put(id)
  }

  private async leave(index: number, how: (instance: TestInstance) => Promise<void>): Promise<void> {
    const instance = this.alive[index % Math.max(1, this.alive.length)]
    if (instance === undefined) return
    this.alive = this.alive.filter((other) => other !== instance)
    const leaving = how(instance)
    await this.world.clock.advance(0)
    await leaving
  }

  private async split(index: number): Promise<void> {
    if (this.splits === 3) return
    this.splits += 1
    const ranges = await this.world.feed().physicalRanges()
    this.world.split(ranges[index % ranges.length]?.id ?? '')
  }
}

describe('a deployment unit under random events', () => {
  it('delivers every change, and ends with its leases shared evenly (R131, R141, R154)', async () => {
    const history = fc.array(happening, { maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(history, async (events) => {
        const world = await processorWorld('engine ports', { partitionCount: 2 })
        const unit = new Unit(world)
        await unit.join()
        for (const event of events) await unit.let(event)
        await unit.let({ kind: 'write', count: 5 })
        await unit.join()
        await world.clock.advance(400_000)
        expect(unit.delivered()).toEqual(new Set(unit.written))
        const ranges = await world.feed().physicalRanges()
        expect(await unit.leaseCount()).toBe(ranges.length)
        const counts = await unit.leaseCounts()
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
        await unit.stop()
      }),
      { numRuns: 25 },
    )
  })
})
