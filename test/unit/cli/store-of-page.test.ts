import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { storeArguments } from '../../../src/cli/commands/operations/page.js'
import { readSettings } from '../../../src/connection/settings.js'
import { temporaryDirectory } from '../../e2e/processes.js'

beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('COSMOS_')) vi.stubEnv(name, undefined)
})
afterEach(() => vi.unstubAllEnvs())

const argumentsIn = async (directory: string, flags: { endpoint?: string; data?: string } = {}) => {
  const { data: _data, ...connection } = flags
  return storeArguments(flags, await readSettings({ flags: connection, directory }), directory)
}

it('name the store of the environment, without the key', async () => {
  vi.stubEnv('COSMOS_CONNECTION_STRING', 'AccountEndpoint=https://shop/;AccountKey=a2V5;')
  vi.stubEnv('COSMOS_DATABASE', 'orders')
  expect(await argumentsIn(await temporaryDirectory())).toEqual([
    '--endpoint',
    'https://shop/',
    '--database',
    'orders',
  ])
})

it('name the store of a configuration file, and the file by its absolute path', async () => {
  const directory = await temporaryDirectory()
  const config = join(directory, 'stepward.config.json')
  const settings = { endpoint: 'https://shop', key: 'a2V5', container: 'jobs', leaseContainer: 'owners' }
  await writeFile(config, JSON.stringify(settings))
  const containers = ['--container', 'jobs', '--lease-container', 'owners']
  expect(await argumentsIn(directory)).toEqual([
    ...['--endpoint', 'https://shop', ...containers],
    ...['--config', config],
  ])
  expect(await argumentsIn(directory, { data: 'data' })).toEqual([
    ...containers,
    ...['--data', join(directory, 'data'), '--config', config],
  ])
})
