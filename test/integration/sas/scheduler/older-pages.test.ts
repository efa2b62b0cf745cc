import { beforeEach, describe, expect, it } from 'vitest'
import type { Change } from '../../../../src/change-feed-processor/index.js'
import { StateWorld } from '../../../support/state-world.js'

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

/** Runs the open steps of a page. Returns the changes that the agents have written. */
async function outcomesOf(page: readonly Change[]): Promise<readonly Change[]> {
  const agents = world.agents()
  await agents.onChanges(page, { signal: new AbortController().signal })
  await agents.stop(1_000)
  return world.changes()
}

describe('a scheduler that reads two leases with overlapping ranges', () => {
  it('acts on the newer version when the other lease delivers an older one meanwhile (I8)', async () => {
    await world.submitted({ a: [], b: ['a'] })
    const older = await world.changes()
    const scheduler = world.scheduler()
    await scheduler.onChanges(older)
    const newer = await outcomesOf(await world.changes())
    await Promise.all([
      scheduler.onChanges(newer, { leaseToken: '2' }),
      scheduler.onChanges(older, { leaseToken: '0' }),
    ])
    expect(await world.step('b')).toMatchObject({ dispatch: 1 })
  })

  it('reads a step again when an older version arrives between two reads (I8)', async () => {
    await world.submitted({ a: [], b: [], end: ['a', 'b'] })
    const older = await world.changes()
    await world.scheduler('scheduler-1').onChanges(older)
    const newer = await outcomesOf(await world.changes())
    const olderSteps = older.filter(({ type }) => type === 'sas.step')
    // This scheduler has the name of the first one, but not its memory.
    const scheduler = world.scheduler('scheduler-1')
    const reads: string[] = []
    world.store.read = async (address) => {
      reads.push(address.id)
      const document = await world.truth.read(address)
      const isFirst = reads.filter((id) => id === address.id).length === 1
      if (!address.id.endsWith(':b') || !isFirst) return document
      // By now the scheduler remembers the answer of the other read.
      await world.clock.advance(0)
      await scheduler.onChanges(olderSteps)
      return document
    }
    await Promise.all([scheduler.onChanges(newer), scheduler.onChanges(olderSteps)])
    expect(reads.filter((id) => id.endsWith(':a'))).toHaveLength(2)
    expect(await world.step('end')).toMatchObject({ dispatch: 1 })
  })
})
