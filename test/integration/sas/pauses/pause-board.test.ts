import { beforeEach, expect, it } from 'vitest'
import { PauseBoard } from '../../../../src/sas/pauses/pause-board.js'
import { updatePauses, withPause } from '../../../../src/sas/pauses/stored-pauses.js'
import { StateWorld } from '../../../support/state-world.js'

let world: StateWorld
let board: PauseBoard

beforeEach(async () => {
  world = new StateWorld()
  board = new PauseBoard(world)
  board.start()
  board.leaseAcquired('0')
  await world.clock.advance(0)
})

const names = (): readonly string[] => board.usable?.entries.map(({ name }) => name) ?? []

async function pause(name: string): Promise<void> {
  const terms = { kind: 'workflow' as const, name, by: 'ann', why: 'test' }
  await updatePauses(world.truth, (pauses) => withPause(pauses, terms, world.clock.now()))
}

it('learns of a pause within a second of a hint, and within 15 seconds without one', async () => {
  await world.clock.advance(5_000)
  await pause('first')
  board.hinted()
  await world.clock.advance(0)
  expect(names()).toEqual(['first'])
  await pause('second')
  board.hinted()
  await world.clock.advance(999)
  expect(names(), 'hints cost at most one read a second').toEqual(['first'])
  await world.clock.advance(1)
  expect(names()).toEqual(['first', 'second'])
  await pause('third')
  await world.clock.advance(14_999)
  expect(names()).toEqual(['first', 'second'])
  await world.clock.advance(1)
  expect(names()).toEqual(['first', 'second', 'third'])
  await board.stop()
})

it('reads nothing after hints while it has no lease, and at most once a second with one', async () => {
  await world.clock.advance(2_000)
  const before = world.faults.count('read')
  for (let hint = 0; hint < 100; hint += 1) {
    board.hinted()
    await world.clock.advance(10)
  }
  expect(world.faults.count('read') - before).toBeLessThanOrEqual(2)
  board.leaseReleased('0')
  await world.clock.advance(15_000)
  const atEnd = world.faults.count('read')
  board.hinted()
  await world.clock.advance(30_000)
  expect(world.faults.count('read')).toBe(atEnd)
  await board.stop()
})
