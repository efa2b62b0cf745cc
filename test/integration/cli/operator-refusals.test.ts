import { connect } from 'stepward'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { orderFulfilment } from '../../../samples/orders/index.js'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import {
  decide,
  type DecideOptions,
  type DecisionKind,
} from '../../../src/cli/commands/jobs/resubmit-release-cancel.js'
import { list, type ListOptions } from '../../../src/cli/commands/jobs/list.js'
import { watch } from '../../../src/cli/commands/jobs/watch.js'
import type { Terminal } from '../../../src/cli/output/terminal.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'

let emulator: Emulator
let store: { readonly endpoint: string; readonly key: string }
const printed: string[] = []
const terminal: Terminal = {
  print: (text) => void printed.push(text),
  note: (text) => void printed.push(text),
  progress: (text) => void printed.push(text),
  progressDone: () => undefined,
  isInteractive: false,
  width: 80,
  tableWidth: 80,
  confirm: () => Promise.resolve(false),
  height: 24,
}

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  const client = await connect(store)
  await client.submit(orderFulfilment, {
    orderId: 'waiting',
    lines: [{ productId: 1, quantity: 1 }],
    total: 1,
    shipTo: 'Oslo',
  } as never)
  client.close()
})

afterAll(async () => {
  await emulator.close()
})

/** Expects an error of one line with this text, and no output. */
async function expectRefused(run: Promise<number>, code: number, says: RegExp): Promise<void> {
  const error = await run.then(
    () => null,
    (refusal: unknown) => refusal,
  )
  expect(exitCodeOf(error)).toBe(code)
  expect(String(error)).toMatch(says)
  expect(String(error)).not.toContain('\n')
  expect(printed).toEqual([])
}

const why = 'x'

type Words = readonly [kind: DecisionKind, jobId: string | undefined, options: DecideOptions]

it.each<[Words, number, RegExp]>([
  [['resubmit', 'missing', { why }], 3, /there is no job "missing"/],
  [['release', 'missing', {}], 3, /there is no job "missing"/],
  [['cancel', 'missing', { why }], 3, /there is no job "missing"/],
  [['resubmit', 'waiting', { why }], 4, /job waiting is Pending/],
  [['resubmit', 'waiting', { why, dryRun: true }], 4, /job waiting is Pending/],
  [['release', 'waiting', {}], 4, /job waiting/],
  [
    ['resubmit', undefined, {}],
    2,
    /needs a JOB, or a choice of jobs by --workflow, .*; pass --why TEXT, the reason: it is stored/,
  ],
  [['cancel', undefined, { all: true }], 2, /pass --why TEXT/],
  [['cancel', 'waiting', { why, state: 'error' }], 2, /exclude each other/],
  [['cancel', 'waiting', { why, step: 'ship' }], 2, /cancels a whole job/],
  [['resubmit', undefined, { why, all: true, input: 'f' }], 2, /one step of one job/],
  [
    ['resubmit', 'waiting', { why, step: 'ship', input: '/nowhere' }],
    2,
    /--input \/nowhere could not be read/,
  ],
  [['release', undefined, { state: 'Done', since: 'noon' }], 2, /--state "Done" .*; --since "noon" must be/],
])('%j is refused with exit code %i', async ([kind, jobId, options], code, says) => {
  await expectRefused(decide(kind, jobId, { ...store, ...options }, terminal), code, says)
})

it.each<[Partial<ListOptions>, RegExp]>([
  [{ before: 'noon' }, /--before "noon" must be an age/],
  [{ limit: '0' }, /--limit "0" must be a whole number from 1 to 10000/],
  [{ state: 'Done' }, /--state "Done" must be one of/],
])('`list` refuses the options %j', async (options, says) => {
  await expectRefused(list({ limit: '100', ...store, ...options }, terminal), 2, says)
})

it('`watch` refuses a job that does not exist', async () => {
  await expectRefused(watch('missing', store, terminal), 3, /there is no job "missing"/)
})
