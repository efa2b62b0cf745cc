import type { Container } from '@azure/cosmos'
import { describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { doors, type Door } from './doors.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

interface Person {
  readonly id: string
  readonly pk: string
  readonly mail?: string
}

const uniqueKeyPolicy = { uniqueKeys: [{ paths: ['/mail'] }] }

async function people(door: Pick<Door, 'client'>): Promise<Container> {
  const { database } = await door.client().databases.createIfNotExists({ id: 'shop' })
  const definition = { id: 'people', partitionKey: '/pk', uniqueKeyPolicy }
  return (await database.containers.createIfNotExists(definition)).container
}

describe.each(doors)('unique keys through the SDK, %s', (_name, open) => {
  it('are enforced for every kind of write', async () => {
    const door = await open()
    const container = await people(door)
    expect((await container.read()).resource?.uniqueKeyPolicy).toEqual(uniqueKeyPolicy)
    await container.items.create<Person>({ id: 'x', pk: 'a', mail: 'm' })
    await container.items.create<Person>({ id: 'y', pk: 'a', mail: 'n' })
    const taken: Person = { id: 'y', pk: 'a', mail: 'm' }
    for (const write of [
      () => container.items.create({ ...taken, id: 'z' }),
      () => container.items.upsert(taken),
      () => container.item('y', 'a').replace(taken),
      () => container.item('y', 'a').patch([{ op: 'set', path: '/mail', value: 'm' }]),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 409 })
    }
    const batch = await container.items.batch(
      [
        { operationType: 'Create', resourceBody: { id: 'fine', pk: 'a', mail: 'o' } },
        { operationType: 'Create', resourceBody: { id: 'z', pk: 'a', mail: 'o' } },
      ],
      'a',
    )
    expect(batch.result?.map((one) => one.statusCode)).toEqual([424, 409])
    expect((await container.items.create({ id: 'z', pk: 'b', mail: 'm' })).statusCode).toBe(201)
  })
})

describe('unique keys in a data directory', () => {
  it('are enforced after a restart', async () => {
    const dataDirectory = scratchDirectory()
    const before = createInProcessCosmos({ dataDirectory })
    await (await people(before)).items.create({ id: 'x', pk: 'a', mail: 'm' })
    await before.close()
    const after = createInProcessCosmos({ dataDirectory })
    const container = await people(after)
    await expect(container.items.create({ id: 'y', pk: 'a', mail: 'm' })).rejects.toMatchObject({ code: 409 })
    await container.item('x', 'a').delete()
    expect((await container.items.create({ id: 'y', pk: 'a', mail: 'm' })).statusCode).toBe(201)
    await after.close()
  })
})
