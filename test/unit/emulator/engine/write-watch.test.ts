import { expect, it } from 'vitest'
import { CosmosEngine } from '../../../../src/emulator/engine/index.js'

function watched() {
  let id = 0
  const engine = new CosmosEngine({ now: () => 0, nextId: () => `${(id += 1)}`.padStart(8, '0') })
  engine.createDatabase('shop')
  const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 }
  const container = engine.createContainer('shop', { id: 'items', partitionKey }, 3)
  const heard: string[] = []
  const listener = (rid: string, rangeId: string): void => void heard.push(`${rid} ${rangeId}`)
  return { engine, container, heard, listener }
}

it('every write is reported with its container and partition, and a read or a refused write is not', () => {
  const { engine, container, heard, listener } = watched()
  engine.writes.subscribe(listener)
  const document = { id: 'a', pk: 'p' }
  const place = `${container.rid} ${container.locate(['p']).partition.id}`
  container.execute(['p'], { kind: 'create', document })
  expect(heard).toEqual([place])
  container.execute(['p'], { kind: 'read', id: 'a' })
  expect(() => container.execute(['p'], { kind: 'create', document })).toThrow()
  expect(container.batch(['p'], [{ kind: 'create', document }]).kind).toBe('rolledBack')
  expect(heard).toEqual([place])
  container.batch(['p'], [{ kind: 'upsert', document }])
  container.execute(['p'], { kind: 'delete', id: 'a' })
  expect(heard).toEqual([place, place, place])
})

it('a write is not reported to the listener that makes it, even if it fails, nor after the end', () => {
  const { engine, container, heard, listener } = watched()
  const end = engine.writes.subscribe(listener)
  const others: string[] = []
  engine.writes.subscribe((_rid, rangeId) => others.push(rangeId))
  const create = (id: string): unknown =>
    container.execute(['p'], { kind: 'create', document: { id, pk: 'p' } })
  engine.writes.without(listener, () => create('a'))
  expect(() => engine.writes.without(listener, () => create('a'))).toThrow()
  expect([heard.length, others.length]).toEqual([0, 1])
  create('b')
  end()
  create('c')
  expect([heard.length, others.length]).toEqual([1, 3])
})
