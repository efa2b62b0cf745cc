import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { doctor } from '../../../src/cli/commands/operations/doctor.js'
import { estimate } from '../../../src/cli/commands/operations/estimate.js'
import { submit, type SubmitOptions } from '../../../src/cli/commands/jobs/submit.js'
import { connect } from '../../../src/connection/index.js'
import { startHost } from '../../../src/host/index.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { watch } from '../../../src/cli/commands/jobs/watch.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { ordersFile, temporaryDirectory } from '../../e2e/processes.js'
import { seller } from '../../support/selling.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const workflows = fileURLToPath(new URL('../../../samples/orders/index.ts', import.meta.url))
const selling = fileURLToPath(new URL('../../support/selling.ts', import.meta.url))
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

/** Submits a basket for each `id:item,item`. Returns the exit code and the error. */
async function submittingBaskets(baskets: readonly string[], options: SubmitOptions = {}) {
  const lines = baskets.map((basket) => {
    const [id = '', items = ''] = basket.split(':')
    return JSON.stringify({ id, items: items.split(',') })
  })
  const file = join(await temporaryDirectory(), 'baskets.jsonl')
  await writeFile(file, lines.join('\n'))
  const { endpoint, key } = emulator
  const all = { endpoint, key, workflows: selling, ...options }
  return submit('selling', file, all, terminal).then(
    (code) => ({ code, error: '' }),
    (error: unknown) => ({ code: exitCodeOf(error), error: String(error) }),
  )
}

async function notices(): Promise<unknown[]> {
  const container = emulator.client().database('stepward').container('state')
  const query = 'SELECT c.jobId, c.kind, c.replyTo FROM c WHERE c.type = "sas.notify"'
  return (await container.items.query<unknown>(query).fetchAll()).resources
}

it.each(['https://shop.example/replies', 'container:replies'])(
  '`--reply-to %s` is stored with the job, and the first notice is written at once (R118)',
  async (replyTo) => {
    const jobId = `told at ${replyTo.slice(0, 5)}`
    expect(await submitting(JSON.stringify({ ...order, orderId: jobId }), { replyTo })).toBe(0)
    expect(await notices()).toContainEqual({ jobId, kind: 'received', replyTo })
  },
)

it.each(['', 'container:', 'mailto:me@shop.example', 'replies'])(
  '`--reply-to %j` is refused before any line is read',
  async (replyTo) => {
    const error = await submitting('not JSON', { replyTo }).catch((refusal: unknown) => refusal)
    expect(exitCodeOf(error)).toBe(2)
    expect(String(error)).toContain(
      `--reply-to ${JSON.stringify(replyTo)} must be an http(s) URL or "container:NAME"`,
    )
  },
)

it('an empty file is reported, and is not a failure', async () => {
  expect(await submitting('\n \n')).toBe(0)
  expect(said()).toMatch(/^0 jobs of order-fulfilment accepted$/m)
  expect(noted).toHaveLength(1)
  expect(noted[0]).toMatch(/orders\.jsonl is empty, so nothing was submitted$/)
})

it('an invalid line does not keep others from being submitted, and the error counts them', async () => {
  const { code, error } = await submittingBaskets(['i1:a', 'i2:a,b', 'i3:a,b,c', 'i4:a'])
  expect(code).toBe(1)
  expect(said()).toBe('3 jobs of selling accepted')
  expect(error).toMatch(
    /line 3: job "i3": .*the list of the step has 3 items; at most 2 .*\(3 of 4 submitted; correct the invalid lines .*\)/,
  )
  expect(error).not.toContain('run the same command again')
  const { endpoint, key } = emulator
  const client = await connect({ endpoint, key })
  onTestFinished(() => client.close())
  expect((await client.list()).map(({ jobId }) => jobId)).toEqual(expect.arrayContaining(['i1', 'i2', 'i4']))
})

it('a line without an id is refused, and the error says where an id comes from', async () => {
  const { code, error } = await submittingBaskets(['n2:a', ':b'])
  expect(code).toBe(2)
  expect(error).toMatch(
    /line 2: .* the function "jobId" of workflow selling returned an empty text; give the line/,
  )
})

it('a file with only invalid lines is refused, and nothing is submitted', async () => {
  const { code, error } = await submittingBaskets(['n1:a,b,c'])
  expect(code).toBe(2)
  expect(error).toContain('(0 of 1 submitted; correct the invalid lines and submit them again)')
})

it('an id with another payload is a conflict; the other lines are accepted and counted', async () => {
  expect((await submittingBaskets(['c3:a'])).code).toBe(0)
  forget()
  const { code, error } = await submittingBaskets(['c1:a', 'c2:a', 'c3:b', 'c4:a', 'c5:a'])
  expect(code).toBe(4)
  expect(said()).toBe('4 jobs of selling accepted')
  expect(error).toMatch(/line 3: job "c3" already exists with another payload.* \(4 of 5 submitted\)$/)
})

it('an error ends `submit` after the lines under way, and the message counts them', async () => {
  await submittingBaskets(['u1:a'])
  const container = emulator.client().database('stepward').container('state')
  await container.item('sas.job:u1', 'u1').patch([{ op: 'set', path: '/audit', value: 'by hand' }])
  const { code, error } = await submittingBaskets(['u1:a', 'u2:a', 'u3:a', 'u4:a'])
  expect(code).toBe(4)
  expect(error).toMatch(
    /"u1".* cannot be read: .*\(3 of 4 submitted; run the same command again to continue\)$/,
  )
})

it('a repeated submission reports how many of its jobs are new', async () => {
  await submittingBaskets(['r1:a', 'r2:a'])
  await submittingBaskets(['r1:a', 'r2:a', 'r3:a'])
  await submittingBaskets(['r1:a', 'r2:a'], { json: true })
  const [first, again, json = ''] = said().split('\n')
  expect(first).toBe('2 jobs of selling accepted')
  expect(again).toBe('3 jobs of selling accepted, 1 of them new')
  expect(JSON.parse(json)).toMatchObject({ submitted: 2, new: 0 })
})

it('`--wait` reports accepted jobs at once and, like `watch`, later that no role runs', async () => {
  const clock = new VirtualClock()
  const submitted = submittingBaskets(['w1:a'], { wait: true, clock })
  await expect.poll(said).toBe('1 job of selling accepted')
  await clock.advance(10_000)
  await expect
    .poll(() => noted)
    .toEqual([
      expect.stringMatching(
        /^stepward: \d+ jobs have not ended, and no instance runs the roles scheduler, agents, supervisor; start them: stepward start --role all --agents MODULE$/,
      ),
    ])
  const { endpoint, key } = emulator
  const watching = recordedTerminal()
  const watched = watch('w1', { endpoint, key }, watching.terminal, clock)
  await expect.poll(watching.said).toMatch(/ job w1 Pending$/)
  await clock.advance(10_000)
  await expect.poll(() => watching.noted).toEqual(noted)
  const host = await startHost({ endpoint, key, agents: [seller] })
  onTestFinished(() => host.stop())
  expect(await submitted).toMatchObject({ code: 0 })
  expect(await watched).toBe(0)
})

it('the options of `submit` become parts of every job', async () => {
  const terms = { tag: ['customer=4711'], priority: '3', completeWithin: '2h', retainFor: '30d' }
  const jobId = 'with options'
  expect(
    await submitting(JSON.stringify({ ...order, orderId: jobId }), { ...terms, partitionKey: 'p' }),
  ).toBe(0)
  const container = emulator.client().database('stepward').container('state')
  const { resource } = await container.item(`sas.job:${jobId}`, 'p').read<object>()
  expect(resource).toMatchObject({
    tags: ['customer=4711'],
    priority: 3,
    completeWithinMs: 7_200_000,
    retainForMs: 2_592_000_000,
  })
})

it('jobs that were submitted before keep their tags, and `submit` says so', async () => {
  const line = JSON.stringify({ ...order, orderId: 'kept' })
  expect(await submitting(line, { tag: ['customer=1'] })).toBe(0)
  expect(noted).toEqual([])
  expect(await submitting(line, { tag: ['customer=2'], priority: '3' })).toBe(0)
  const changed = '--tag, --priority changed nothing there'
  expect(noted).toEqual([`stepward: 1 job was submitted before and keeps its terms: ${changed}`])
  forget()
  expect(await submitting(line)).toBe(0)
  expect(noted).toEqual([])
})

it('many bad lines, and long ones, give a message of a limited length', async () => {
  const bad = (index: number) => JSON.stringify({ ...order, orderId: `${index}`, total: 'x'.repeat(5_000) })
  const lines = Array.from({ length: 200 }, (_, index) => bad(index)).join('\n')
  const error: unknown = await submitting(lines).catch((caught: unknown) => caught)
  expect(String(error)).toContain('and 190 more lines (nothing was submitted)')
  expect(String(error).length).toBeLessThan(10_000)
})

it('wrong options of `submit` are refused before any line is read', async () => {
  const submitted = submitting('no JSON', { tag: ['customer'], retainFor: 'soon' })
  await expect(submitted).rejects.toThrow(/^retainFor is "soon".*; --tag "customer" must be NAME=VALUE/)
})

it('a line whose input does not fit the schema of the workflow is named, and no line is submitted', async () => {
  const file = join(await temporaryDirectory(), 'checked.jsonl')
  await writeFile(file, '{"id":"checked-1","total":1}\n{"id":7,"total":-1}\n')
  const module = fileURLToPath(new URL('../../support/checked-input.ts', import.meta.url))
  const { endpoint, key } = emulator
  const submitted = submit('checked', file, { endpoint, key, workflows: module }, terminal)
  await expect(submitted).rejects.toThrow(
    /line 2: input\.id is 7: .*expected string.*; input\.total is -1: .*>=0.*\(nothing was submitted\)/,
  )
  const container = emulator.client().database('stepward').container('state')
  const { statusCode } = await container.item('sas.job:checked-1', 'checked-1').read()
  expect(statusCode).toBe(404)
})

it('`--data` with a directory without a store says that it is new, and that no instance runs there', async () => {
  const file = join(await temporaryDirectory(), 'orders.jsonl')
  await writeFile(file, JSON.stringify(order))
  const data = join(await temporaryDirectory(), 'mis$&spelt')
  expect(await submit('order-fulfilment', file, { data, workflows }, terminal)).toBe(0)
  expect(noted).toEqual([
    expect.stringMatching(
      /^stepward: --data .*mis\$&spelt held no store, so a new one was created there: 1 job has not ended, and no instance runs/,
    ),
  ])
  forget()
  expect(await submit('order-fulfilment', file, { data, workflows }, terminal)).toBe(0)
  expect(noted).toEqual([])
  for (const command of [doctor, estimate]) {
    const { terminal: own, said: saidThere } = recordedTerminal()
    expect(await command({ data }, own)).toBe(1)
    expect(saidThere().replaceAll(/\s+/g, ' ')).toContain(
      `stepward start --role all --agents MODULE --data ${JSON.stringify(data)}`,
    )
  }
  const both = submit('order-fulfilment', file, { data, endpoint: 'http://x', key: 'k', workflows }, terminal)
  await expect(both).rejects.toThrow(
    '--data names an embedded store, and --endpoint and --key an account: pass one or the other',
  )
})

it('`--job-id` names the only job of a workflow without ids, and nothing else', async () => {
  const file = join(await temporaryDirectory(), 'one.jsonl')
  const { endpoint, key } = emulator
  const nightly = fileURLToPath(new URL('nightly-schedule.ts', import.meta.url))
  const shopping = async (lines: string, jobId?: string): Promise<unknown> => {
    await writeFile(file, lines)
    const options = { endpoint, key, workflows: nightly, ...(jobId === undefined ? {} : { jobId }) }
    return submit('shopping', file, options, terminal).catch(String)
  }
  expect(await shopping('{"a":1}')).toContain('name the id of one job with --job-id')
  expect(await shopping('{"a":1}\n{"a":2}', 'S-1')).toContain('id "S-1" is on line 1 already')
  expect(await shopping('{"a":1}', 'S-1')).toBe(0)
  expect(said()).toContain('1 job of shopping accepted')
  const refused = submitting(JSON.stringify(order), { jobId: 'S-2' })
  await expect(refused).rejects.toThrow('order-fulfilment defines the ids of its jobs: leave out --job-id')
  await expect(submitting(JSON.stringify(order), { jobId: '' })).rejects.toThrow('leave out --job-id')
  expect(await shopping('{"a":1}', '')).toContain('the job has no id')
})

it('with --json, a lost store still leaves the numbers of what was done, and the error', async () => {
  const store = await startEmulator({ port: 0 })
  const account = { endpoint: store.endpoint, key: store.key }
  await submittingBaskets(['lost-0:a'], account)
  forget()
  store.faults.add({ match: { operation: 'create' }, status: 503 })
  const baskets = ['lost-1:a', 'lost-2:a', 'lost-3:a']
  const { code } = await submittingBaskets(baskets, { ...account, json: true })
  expect(code).toBe(5)
  const told = JSON.parse(said()) as { readonly submitted: number; readonly error: string }
  expect(told).toMatchObject({ workflow: 'selling', submitted: 0, new: 0, conflicts: [], invalid: [] })
  expect(told.error).toMatch(/0 of 3 submitted; run the same command again to continue/)
  await store.close()
})

it('a file that does not exist leaves no data directory behind', async () => {
  const folder = await temporaryDirectory()
  const data = join(folder, 'store')
  const missing = join(folder, 'missing.jsonl')
  await expect(submit('order-fulfilment', missing, { data, workflows }, terminal)).rejects.toThrow(
    'missing.jsonl',
  )
  expect(existsSync(data)).toBe(false)
})
