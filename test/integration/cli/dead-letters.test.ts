import { expect, it, onTestFinished } from 'vitest'
import { ChangeFeedProcessor } from '../../../src/change-feed-processor/index.js'
import { deadLetters } from '../../../src/cli/commands/operations/dead-letters.js'
import { startEmulator } from '../../../src/emulator/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

it('`dead-letters` lists the changes that a processor has set aside, the newest first, and nothing else', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const client = emulator.client()
  const { database } = await client.databases.create({ id: 'shop' })
  const partitionKey = '/id'
  const { container: monitoredContainer } = await database.containers.create({ id: 'orders', partitionKey })
  const { container: leaseContainer } = await database.containers.create({
    ...{ id: 'leases', partitionKey, defaultTtl: -1 },
  })
  const { container: poison } = await database.containers.create({ id: 'poison', partitionKey })
  const store = { endpoint: emulator.endpoint, key: emulator.key, database: 'shop' }
  const { terminal, said, forget } = recordedTerminal()
  const none = { ...store, limit: '100' }
  expect(await deadLetters('poison', none, terminal)).toBe(0)
  expect(said()).toContain('no dead letters in container "poison"')
  forget()

  const setAside = new Set<string>()
  const processor = new ChangeFeedProcessor<{ id: string }>({
    ...{ monitoredContainer, leaseContainer, processorName: 'projection', instanceName: 'one' },
    startFrom: 'beginning',
    onChange: ({ id }) => {
      if (id !== 'good') throw new RangeError(`${id} has no price`)
    },
    failurePolicy: {
      retry: { tries: 1, backoff: { min: 1, max: 1 } },
      then: 'deadLetter',
      deadLetter: poison,
    },
  })
  for (const id of ['good', 'bad-1']) await monitoredContainer.items.create({ id })
  await poison.items.create({ id: 'a note of a person', leaseToken: '0' })
  await poison.items.create({
    id: 'odd',
    leaseToken: '0',
    documentId: 'J',
    error: { name: [], message: 'no' },
  })
  await processor.start()
  await expect
    .poll(async () => {
      const { resources } = await poison.items.query<string>('SELECT VALUE c.documentId FROM c').fetchAll()
      for (const id of resources) setAside.add(id)
      return setAside
    })
    .toContain('bad-1')
  await processor.stop()

  await deadLetters('poison', { ...none, json: true }, terminal)
  expect(JSON.parse(said())).toEqual([
    {
      id: expect.any(String) as string,
      documentId: 'bad-1',
      leaseToken: '0',
      at: expect.stringMatching(/^20.*Z$/) as string,
      error: { name: 'RangeError', message: 'bad-1 has no price' },
    },
  ])
  forget()
  await deadLetters('poison', none, terminal)
  expect(said()).toMatch(/bad-1 +0 +RangeError: bad-1 has no price/)
  await poison.items.create({
    ...{ id: 'long', leaseToken: '0', documentId: 'J' },
    error: { name: 'Error', message: 'x'.repeat(9_000) },
  })
  forget()
  await deadLetters('poison', { ...none, json: true }, terminal)
  expect(said().length).toBeLessThan(1_200)
  for (const [name, rule] of [
    ['a/b', 'must contain none of / \\ # ?'],
    ['..', 'must not consist of dots alone'],
    [' poison', 'must not begin or end with a space'],
    ['', 'must have 1 to 255 characters'],
    ['x'.repeat(256), 'must have 1 to 255 characters'],
    ['#1 ', 'must contain none of / \\ # ?, and not begin or end with a space'],
  ] as const)
    await expect(deadLetters(name, none, terminal)).rejects.toThrow(`${JSON.stringify(name)} ${rule}`)
  await expect(deadLetters('poisons', none, terminal)).rejects.toMatchObject({
    name: 'ContainerNotFound',
    message: expect.stringContaining('container "poisons" does not exist in database "shop"') as string,
  })
})
