import { beforeEach, describe, expect, it } from 'vitest'
import { CliError } from '../../../src/cli/output/cli-error.js'
import { emulatorMerge, emulatorSplit } from '../../../src/cli/commands/store/emulator-partitions.js'
import type { Terminal } from '../../../src/cli/output/terminal.js'
import type { Emulator } from '../../../src/emulator/index.js'
import { AdminRefusal, callAdmin } from '../../../src/emulator/internal.js'
import { anEmulator } from './doors.js'

describe('admin routes of the embedded Cosmos DB', () => {
  let emulator: Emulator
  let printed: string[]

  beforeEach(async () => {
    printed = []
    emulator = await anEmulator()
    const { database } = await emulator.client().databases.create({ id: 'shop' })
    await database.containers.create({ id: 'orders', partitionKey: '/pk' })
  })

  const terminal: Terminal = {
    print: (text) => void printed.push(text),
    note: () => undefined,
    progress: () => undefined,
    progressDone: () => undefined,
    isInteractive: false,
    width: 80,
    tableWidth: 80,
    confirm: () => Promise.resolve(false),
    height: 24,
  }

  function call(
    operation: string,
    body: Readonly<Record<string, unknown>>,
    key = emulator.key,
  ): Promise<unknown> {
    return callAdmin({ endpoint: emulator.endpoint, key, operation, body, now: Date.now() })
  }

  function rangeIds(): readonly string[] {
    return emulator.engine.container('shop', 'orders').partitions.map(({ id }) => id)
  }

  const orders = { database: 'shop', container: 'orders' }

  it('split and merge feed ranges', async () => {
    expect(await call('split', orders)).toMatchObject({
      ranges: [
        { id: '1', min: '' },
        { id: '2', max: 'FF' },
      ],
    })
    await call('split', { ...orders, rangeId: '2' })
    expect(rangeIds()).toEqual(['1', '3', '4'])
    expect(await call('merge', { ...orders, rangeIds: ['1', '3'] })).toMatchObject({ ranges: [{ id: '5' }] })
    expect(rangeIds()).toEqual(['5', '4'])
  })

  it('count the documents of each range', async () => {
    const container = emulator.client().database('shop').container('orders')
    await container.items.create({ id: '1', pk: 'a' })
    expect(await call('ranges', orders)).toEqual({ ranges: [{ id: '0', min: '', max: 'FF', documents: 1 }] })
  })

  it.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['ranges', { ...orders, container: 'none' }, 404],
    ['split', { database: 'shop' }, 400],
    ['split', { ...orders, rangeId: 7 }, 400],
    ['split', { ...orders, rangeId: '7' }, 410],
    ['split', { ...orders, container: 'none' }, 404],
    ['merge', { ...orders, rangeIds: ['0'] }, 400],
    ['constructor', orders, 400],
  ])('refuse %s of %j', async (operation, body, status) => {
    await expect(call(operation, body)).rejects.toMatchObject({ name: 'AdminRefusal', status })
    expect(rangeIds()).toEqual(['0'])
  })

  it('require the key of the account', async () => {
    const refused = call('split', orders, Buffer.from('another key').toString('base64'))
    await expect(refused).rejects.toBeInstanceOf(AdminRefusal)
    await expect(refused).rejects.toMatchObject({ status: 401 })
    expect(rangeIds()).toEqual(['0'])
  })

  it('serve `stepward emulator split` and `merge`', async () => {
    const { endpoint } = emulator
    expect(await emulatorSplit('shop/orders', { endpoint }, terminal)).toBe(0)
    expect(printed.join()).toContain('RANGE')
    expect(await emulatorSplit('shop/orders', { endpoint, range: '1', json: true }, terminal)).toBe(0)
    expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject([{ id: '3' }, { id: '4' }])
    expect(rangeIds()).toEqual(['3', '4', '2'])
    const apart = emulatorMerge('shop/orders', { endpoint, ranges: ['3', '2'] }, terminal)
    await expect(apart).rejects.toThrow('not neighbours')
    expect(await emulatorMerge('shop/orders', { endpoint, ranges: ['2', '4'], json: true }, terminal)).toBe(0)
    expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject([{ id: '5' }])
    expect(rangeIds()).toEqual(['3', '5'])
  })

  it.each<[string, string, { range?: string; key?: string; endpoint?: string }, number]>([
    ['a name without its database', 'orders', {}, 2],
    ['a container that is not there', 'shop/none', {}, 3],
    ['a range that is gone', 'shop/orders', { range: '9' }, 4],
    ['another key', 'shop/orders', { key: 'AAAA' }, 5],
    ['an endpoint where no server listens', 'shop/orders', { endpoint: 'http://127.0.0.1:1/' }, 5],
  ])(
    'make the command fail with an exit code of its own for %s',
    async (_case, container, options, exitCode) => {
      const error: unknown = await emulatorSplit(
        container,
        { endpoint: emulator.endpoint, ...options },
        terminal,
      ).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(CliError)
      expect(error).toMatchObject({ exitCode })
      expect(rangeIds()).toEqual(['0'])
    },
  )
})
