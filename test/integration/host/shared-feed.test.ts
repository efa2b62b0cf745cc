import { afterEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'

const shop = defineAgent('shop', { pass: (input: { readonly value: number }) => input })
const oneStep = defineWorkflow<{ readonly value: number }>('one-step', (job) => {
  job.step('only', shop.pass, { value: job.input.value }, { undo: 'none' })
})

let host: Host | undefined

afterEach(() => host?.stop())

describe('a host with several roles', () => {
  it('delivers a page that one role has read to the other roles without a charge', async () => {
    const telemetry = new TelemetryRecorder()
    host = await startHost({ client: createInProcessCosmos().client(), agents: [shop], telemetry })
    const job = await host.client.submit(oneStep, { value: 1 }, { jobId: 'job-1' })
    await job.result()
    const shared = await telemetry.waitFor('feed.polled', ({ count, charge }) => count > 0 && charge === 0)
    expect(shared.count).toBeGreaterThan(0)
  })
})
