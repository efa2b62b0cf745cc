import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readSettings } from '../../../src/connection/settings.js'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stepward-'))
  for (const name of Object.keys(process.env)) if (name.startsWith('COSMOS_')) vi.stubEnv(name, undefined)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(directory, { recursive: true })
})

function configured(config: unknown, name = 'stepward.config.json'): Promise<void> {
  return writeFile(join(directory, name), typeof config === 'string' ? config : JSON.stringify(config))
}

describe('settings', () => {
  it('prefer flags to the environment, and the environment to the file', async () => {
    await configured({ endpoint: 'https://file', database: 'file', container: 'file', slots: 4 })
    vi.stubEnv('COSMOS_ENDPOINT', 'https://environment')
    vi.stubEnv('COSMOS_DATABASE', 'environment')
    const settings = await readSettings({ flags: { endpoint: 'https://flag' }, directory })
    expect(settings).toEqual({
      endpoint: 'https://flag',
      database: 'environment',
      container: 'file',
      slots: 4,
    })
  })

  it('do not mix the connection string of one source with the endpoint of a stronger one', async () => {
    await configured({ connectionString: 'AccountEndpoint=https://file;AccountKey=a2V5;' })
    const settings = await readSettings({ flags: { endpoint: 'https://flag' }, directory })
    expect(settings).toEqual({ endpoint: 'https://flag' })
  })

  it('keep the connection string with the key of the account that a stronger source names', async () => {
    const connectionString = 'AccountEndpoint=https://file/;AccountKey=a2V5;'
    await configured({ connectionString })
    const settings = await readSettings({ flags: { endpoint: 'https://file' }, directory })
    expect(settings).toEqual({ connectionString })
  })

  it('find the module beside the file that names it', async () => {
    await configured({ module: './work.js' }, 'other.json')
    const settings = await readSettings({ flags: {}, directory, configPath: 'other.json' })
    expect(settings.module).toBe(join(directory, 'work.js'))
  })

  it('are read from the default export of a module', async () => {
    await configured('export default { slots: 2 }', 'stepward.config.js')
    expect(await readSettings({ flags: {}, directory })).toEqual({ slots: 2 })
  })

  it('leave out what is null in the file, also inside of timing', async () => {
    await configured(
      { module: null, container: null, timing: { pollInterval: null }, slots: 2 },
      'other.json',
    )
    const settings = await readSettings({ flags: {}, directory, configPath: 'other.json' })
    expect(settings).toEqual({ slots: 2, timing: {} })
  })

  it('are empty without a file', async () => {
    expect(await readSettings({ flags: {}, directory })).toEqual({})
  })

  it.each([
    ['a file that is not there', null, /configuration file other\.json does not exist/],
    ['a file that is not JSON', '{', /other\.json is not JSON/],
    ['an unknown name', { slot: 4 }, /other\.json: slot is not an option: did you mean slots\?/],
    [
      'a value out of bounds',
      { slots: 0, timing: { stopTimeout: -1 } },
      /slots is 0; .*; other\.json: timing\.stopTimeout is -1; /,
    ],
  ])('refuse %s', async (_, config, message) => {
    if (config !== null) await configured(config, 'other.json')
    await expect(readSettings({ flags: {}, directory, configPath: 'other.json' })).rejects.toThrow(message)
  })
})
