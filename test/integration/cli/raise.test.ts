import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { raise } from '../../../src/cli/commands/jobs/raise.js'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { defineWorkflow } from '../../../src/sas/index.js'
import { temporaryDirectory } from '../../e2e/processes.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const delivering = defineWorkflow('delivering', (job) => {
  job.waitFor('signature', { completeWithin: '1d' })
})

let emulator: Emulator
let host: Host
let store: { readonly endpoint: string; readonly key: string }
const { terminal, said, forget } = recordedTerminal()

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  host = await startHost({ ...store, roles: ['scheduler', 'supervisor'] })
})
afterAll(async () => {
  await host.stop()
  await emulator.close()
})
beforeEach(forget)

it('`raise` passes the payload to the step that waits', async () => {
  const job = await host.client.submit(delivering, {}, { jobId: 'D-1' })
  const payload = join(await temporaryDirectory(), 'payload.json')
  await writeFile(payload, '{"by":"Ada"}')
  expect(await raise('D-1', 'signature', { ...store, payload }, terminal)).toBe(0)
  expect(said()).toBe('the event of step signature of job D-1 is raised')
  expect(await job.result()).toEqual({ signature: { by: 'Ada' } })
})

it('`raise` refuses a step that waits for no event, a job that does not exist, and a file that is not JSON', async () => {
  const codeOf = async (...[jobId, step, payload]: [string, string, string?]): Promise<number> => {
    const options = payload === undefined ? store : { ...store, payload }
    return raise(jobId, step, options, terminal).catch(exitCodeOf)
  }
  await host.client.submit(delivering, {}, { jobId: 'D-2' })
  expect(await codeOf('D-2', 'none')).toBe(3)
  expect(await codeOf('D-3', 'signature')).toBe(3)
  expect(await codeOf('D-2', 'signature', 'no-such-file.json')).toBe(2)
  expect(await raise('D-2', 'signature', { ...store, json: true }, terminal)).toBe(0)
  expect(said()).toBe('{"command":"raise","jobId":"D-2","step":"signature"}')
})
