import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { exitCodeOf } from '../../../src/cli/cli-error.js'
import { submit, type SubmitOptions } from '../../../src/cli/commands/submit.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { ordersFile, temporaryDirectory } from '../../e2e/processes.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const workflows = fileURLToPath(new URL('../../../samples/orders/index.ts', import.meta.url))
const [first = ''] = (await readFile(ordersFile, 'utf8')).split('\n')
const order = JSON.parse(first) as object

let emulator: Emulator
const { terminal, said, noted, forget } = recordedTerminal()

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
})
afterAll(() => emulator.close())
beforeEach(forget)

async function submitting(lines: string, options: SubmitOptions = {}): Promise<number> {
  const file = join(await temporaryDirectory(), 'orders.jsonl')
  await writeFile(file, lines)
  const { endpoint, key } = emulator
  return submit('order-fulfilment', file, { endpoint, key, workflows, ...options }, terminal)
}

async function notices(): Promise<unknown[]> {
  const container = emulator.client().database('stepward').container('state')
  const query = 'SELECT c.jobId, c.kind, c.replyTo FROM c WHERE c.type = "sas.notify"'
  return (await container.items.query<unknown>(query).fetchAll()).resources
}

it.each(['https://shop.example/replies', 'container:replies'])(
  'R118: --reply-to %s is kept with the job, whose first notice is written with it',
  async (replyTo) => {
    const jobId = `told at ${replyTo.slice(0, 5)}`
    expect(await submitting(JSON.stringify({ ...order, orderId: jobId }), { replyTo })).toBe(0)
    expect(await notices()).toContainEqual({ jobId, kind: 'received', replyTo })
  },
)

it.each(['', 'container:', 'mailto:me@shop.example', 'replies'])(
  '--reply-to %j can never be reached: refused before anything is read',
  async (replyTo) => {
    const error = await submitting('not JSON', { replyTo }).catch((refusal: unknown) => refusal)
    expect(exitCodeOf(error)).toBe(2)
    expect(String(error)).toContain(
      `--reply-to ${JSON.stringify(replyTo)} must be an http(s) URL or container:`,
    )
  },
)

it('an empty file is no failure, and is said', async () => {
  expect(await submitting('\n \n')).toBe(0)
  expect(said()).toMatch(/^0 jobs of order-fulfilment accepted$/m)
  expect(noted).toHaveLength(1)
  expect(noted[0]).toMatch(/orders\.jsonl is empty: nothing is submitted$/)
})
