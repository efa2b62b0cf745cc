import { expect, it, onTestFinished } from 'vitest'
import { usage } from '../../../src/cli/commands/operations/usage.js'
import { startEmulator } from '../../../src/emulator/index.js'
import { connect, defineWorkflow, startHost } from '../../../src/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const resting = defineWorkflow('resting', (job) => void job.sleep('rest', '1ms'))

it('prints the use of each workflow, role and feed, and compares it with the throughput', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const store = { endpoint: emulator.endpoint, key: emulator.key, hours: '24' }
  const { endpoint, key } = emulator
  const host = await startHost({ endpoint, key, roles: ['scheduler', 'supervisor'], port: 0 })
  onTestFinished(() => host.stop())
  const client = await connect({ endpoint, key })
  onTestFinished(() => client.close())
  await (await client.submit(resting, {}, { jobId: 'J-1' })).result()
  const { terminal, said, forget } = recordedTerminal()
  expect(await usage(store, terminal)).toBe(0)
  expect(said()).toMatch(/1 jobs have ended/)
  expect(said()).toMatch(/resting +1 /)
  expect(said()).toMatch(/scheduler +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+/)
  expect(said()).toMatch(/% of 400 RU\/s \(manual, of the container\); enough for [\d,]+ jobs an hour/)
  forget()
  await usage({ ...store, provisioned: '1000', json: true }, terminal)
  expect(JSON.parse(said())).toMatchObject({
    forecast: { throughput: { requestUnits: 1_000, kind: 'given' } },
  })
  await expect(usage({ ...store, hours: 'x' }, terminal)).rejects.toThrow('--hours')
})
