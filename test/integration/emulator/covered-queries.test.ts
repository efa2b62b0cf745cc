import { expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'

const count = 6_000

it('a count that indexes answer agrees with the documents, after each kind of write', async () => {
  const cosmos = createInProcessCosmos()
  const { database } = await cosmos.client().databases.create({ id: 'db' })
  const { container } = await database.containers.create({ id: 'orders', partitionKey: '/pk' })
  const orders = cosmos.engine.container('db', 'orders')
  for (let id = 0; id < count; id += 1) {
    const document = { id: String(id), pk: `k${id % 50}`, state: { name: id % 3 === 0 ? 'a' : 'b' } }
    orders.execute([document.pk], { kind: 'create', document })
  }
  const counted = async (): Promise<readonly unknown[]> => {
    const text = "SELECT VALUE COUNT(1) FROM c WHERE c.state.name = 'a'"
    return (await container.items.query<unknown>(text).fetchAll()).resources
  }
  expect(await counted()).toEqual([count / 3])
  await container.item('0', 'k0').delete()
  await container.items.upsert({ id: '1', pk: 'k1', state: { name: 'a' } })
  await container.items.upsert({ id: '3', pk: 'k3', state: 'a' })
  await container.items.create({ id: 'new', pk: 'k1', state: { name: 'a' } })
  expect(await counted()).toEqual([count / 3])
  await container.items.upsert({ id: '2', pk: 'k2', state: { name: 'a' } })
  expect(await counted()).toEqual([count / 3 + 1])
  await cosmos.close()
})
