import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { startHost } from '../../../src/host/index.js'
import { connect, defineAgent, defineWorkflow, folder } from '../../../src/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

/** Text that gzip makes only a little smaller, like real data. */
function textOf(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCharCode(33 + (state % 90))
  }).join('')
}

const printer = defineAgent('printer', {
  print: ({ text }: { readonly text: string }) => ({ pages: 2, printed: text + text }),
  bind: ({ printed }: { readonly printed: string }) => printed.length,
})
const printing = defineWorkflow<{ readonly text: string }, number>('printing', (job) => {
  const { printed } = job.step('print', printer.print, { text: job.input.text }, { undo: 'none' }).output
  return job.step('bind', printer.bind, { printed }, { undo: 'none' }).output
})

/** Runs a job with a text of this size on a host, and returns the request units and the result. */
async function chargeOf(bytes: number, path: string | null) {
  const account = createInProcessCosmos()
  const client = account.client()
  const telemetry = new TelemetryRecorder()
  const payloads = path === null ? {} : { payloads: folder(path) }
  const host = await startHost({ client, agents: [printer], telemetry, ...payloads })
  const submitter = await connect({ client, ...payloads })
  const before = charged(telemetry)
  const job = await submitter.submit(printing, { text: textOf(bytes) }, { jobId: 'job-1' })
  const result = await job.result()
  const units = charged(telemetry) - before
  await host.stop()
  submitter.close()
  client.dispose()
  await account.close()
  return { result, units: Math.round(units) }
}

function charged(telemetry: TelemetryRecorder): number {
  return telemetry
    .of('store.charged')
    .filter(({ operation }) => operation.startsWith('state.'))
    .reduce((sum, { charge }) => sum + charge, 0)
}

describe('large values on a host, with a folder (I31)', () => {
  it('reach handlers and clients, beyond the 2 MB of a document', async () => {
    const directory = scratchDirectory()
    const { result } = await chargeOf(3_000_000, join(directory, 'payloads'))
    expect(result).toBe(6_000_000)
    const [job = ''] = readdirSync(join(directory, 'payloads'))
    expect(readdirSync(join(directory, 'payloads', job))).toHaveLength(2)
  })

  it('cost less than in documents', async () => {
    const inside = await chargeOf(200_000, null)
    const outside = await chargeOf(200_000, join(scratchDirectory(), 'payloads'))
    expect([inside.result, outside.result]).toEqual([400_000, 400_000])
    expect(outside.units).toBeLessThan(inside.units / 10)
  })
})
