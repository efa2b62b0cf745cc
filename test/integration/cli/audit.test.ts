import { afterAll, beforeAll, expect, it } from 'vitest'
import { audit } from '../../../src/cli/commands/operations/audit.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { connect, defineWorkflow, type ConnectedClient } from '../../../src/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

let emulator: Emulator
let client: ConnectedClient
let store: { readonly endpoint: string; readonly key: string; readonly limit: string }

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key, limit: '100' }
  client = await connect({ endpoint: emulator.endpoint, key: emulator.key })
  const waiting = defineWorkflow('waiting', (job) => {
    job.waitFor('data')
  })
  for (const jobId of ['J-1', 'J-2']) {
    await client.submit(waiting, {}, { jobId })
    await client.cancel(jobId, `no ${jobId}`, { by: 'ann' })
  }
})
afterAll(async () => {
  client.close()
  await emulator.close()
})

it('lists who decided what and why, the newest first, page by page', async () => {
  const all = recordedTerminal()
  expect(await audit(store, all.terminal)).toBe(0)
  expect(all.said().trimEnd()).toMatch(/ann +cancel +J-2 +no J-2\n.* ann +cancel +J-1 +no J-1$/)
  const first = recordedTerminal()
  await audit({ ...store, limit: '1', json: true }, first.terminal)
  expect(JSON.parse(first.said().split('\n')[0] ?? '')).toMatchObject([
    { id: 'J-2', by: 'ann', command: 'cancel' },
  ])
  const [, before = ''] = /--before (\S+)/.exec(first.noted.join('')) ?? []
  const second = recordedTerminal()
  await audit({ ...store, before, json: true }, second.terminal)
  expect(JSON.parse(second.said())).toMatchObject([{ id: 'J-1' }])
})

it('refuses a time that is none, and says that there is nothing', async () => {
  await expect(audit({ ...store, before: 'noon' }, recordedTerminal().terminal)).rejects.toThrow(/--before/)
  const none = recordedTerminal()
  expect(await audit({ ...store, before: '2001-01-01' }, none.terminal)).toBe(0)
  expect(none.said()).toContain('no operator has decided anything')
})
