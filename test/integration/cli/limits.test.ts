import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  clearLimit,
  limits,
  setLimit,
  showLimit,
  type SetLimitOptions,
} from '../../../src/cli/commands/jobs/limits.js'
import { decidePause } from '../../../src/cli/commands/jobs/pauses.js'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { defineAgent, defineWorkflow, type LimitView } from '../../../src/sas/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

/** Ends the work of the handler that is under way. */
const ending: (() => void)[] = []
const bank = defineAgent('bank', {
  pay: (_input: null) => new Promise<null>((end) => ending.push(() => end(null))),
})
const each = { key: 'payout', atOnce: 1, perPartition: true }
const payingEach = defineWorkflow<null>('paying-each', (job) => {
  job.step('pay', bank.pay, null, { limits: [each], undo: 'none' })
})
const paying = defineWorkflow<{ readonly tenant: string }>('paying', (job) => {
  const limit = { key: 'bank', atOnce: 1, fairBy: job.input.tenant }
  job.step('pay', bank.pay, null, { limits: [limit], undo: 'none' })
})

let emulator: Emulator
let host: Host
let store: { readonly endpoint: string; readonly key: string }
const { terminal, said, noted, forget } = recordedTerminal()

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  host = await startHost({ ...store, roles: ['scheduler', 'supervisor', 'agents'], agents: [bank] })
  await submitted('A-1', 'step.started')
  await submitted('A-2', 'waits for room')
})
afterAll(async () => {
  for (const end of ending) end()
  await host.stop()
  await emulator.close()
})
beforeEach(forget)

/** Submits a job, and waits until its step is with the agent or waits at the limit. */
async function submitted(jobId: string, until: string): Promise<void> {
  const job = await host.client.submit(paying, { tenant: jobId }, { jobId })
  for await (const { why } of job.updates()) if (why.includes(until) || why.includes('to agent')) return
}

const set = (options: SetLimitOptions) =>
  setLimit('bank', { ...store, by: 'ann', ...options }, terminal).catch(exitCodeOf)

describe('the commands about limits', () => {
  it('list the steps at work and the steps that wait', async () => {
    expect(await limits(store, terminal)).toBe(0)
    expect(said().split('\n')[1]).toMatch(/^bank +1 of 1 +- +1 +workflow$/)
    forget()
    await limits({ ...store, json: true }, terminal)
    expect(JSON.parse(said())).toMatchObject([{ key: 'bank', atOnce: 1, waiting: 1 }])
  })

  it('show one limit with its steps and groups', async () => {
    expect(await showLimit('bank', store, terminal)).toBe(0)
    expect(said().split('\n')).toEqual([
      'limit bank: at work 1 of 1, rate -, set by the workflow',
      '1 step at work:',
      '  A-1 pay',
      '1 step waiting, by group:',
      '  A-2: 1',
    ])
  })

  it('name an unknown limit', async () => {
    const error: unknown = await showLimit('bnak', store, terminal).catch((caught: unknown) => caught)
    expect(String(error)).toContain(
      'no step or job has come to limit "bnak" today: "stepward limits" lists the limits',
    )
  })

  it('say in the status of a job for which limit it waits', async () => {
    await status('A-2', store, terminal)
    expect(said()).toContain('Step pay waits for room in limit "bank" since')
  })

  it('refuse numbers that are no numbers, and a limit without numbers', async () => {
    expect(await set({})).toBe(2)
    const whole = 'must be a whole number from'
    const wrong: readonly (readonly [SetLimitOptions, string])[] = [
      [{ atOnce: 'many' }, `--at-once "many" ${whole} 0 to 1000`],
      [{ atOnce: '-1' }, `--at-once "-1" ${whole} 0 to 1000`],
      [{ atOnce: '2000' }, `--at-once "2000" ${whole} 0 to 1000`],
      [{ perSecond: '0' }, '--per-second "0": it must be a number from 0.0001 to 10,000'],
      [{ perSecond: '5', burst: '1.5' }, `--burst "1.5" ${whole} 1 to 10000`],
    ]
    for (const [options, message] of wrong)
      await expect(setLimit('bank', { ...store, ...options }, terminal)).rejects.toThrow(message)
    expect((await host.client.limits.get('bank'))?.set).toBeNull()
  })

  it('pause a key and resume it, with the name and the reason', async () => {
    const options = { ...store, by: 'ann', why: 'the bank is down' }
    expect(
      await decidePause('pause', { what: 'key', name: 'bank' }, { ...options, dryRun: true }, terminal),
    ).toBe(0)
    expect(await host.client.limits.get('bank')).toMatchObject({ atOnce: 1 })
    expect(await decidePause('pause', { what: 'key', name: 'bank' }, options, terminal)).toBe(0)
    forget()
    await showLimit('bank', store, terminal)
    expect(said()).toMatch(/^limit bank: at work 1, paused, rate -, set by ann at 20.*: the bank is down/)
    expect(await decidePause('resume', { what: 'key', name: 'bank' }, options, terminal)).toBe(0)
    expect(await host.client.limits.get('bank')).toMatchObject({ atOnce: 1, set: null })
  })

  it('keep a limit that an operator set while the key is paused', async () => {
    await set({ atOnce: '1', perSecond: '5', why: 'slow' })
    const options = { ...store, by: 'bob', why: 'down' }
    await decidePause('pause', { what: 'key', name: 'bank' }, options, terminal)
    await decidePause('resume', { what: 'key', name: 'bank' }, options, terminal)
    expect(await host.client.limits.get('bank')).toMatchObject({ perSecond: 5, set: { by: 'ann' } })
    await clearLimit('bank', store, terminal)
  })

  it('say that no limit has the name, and write nothing for it except a pause', async () => {
    const [options, unknown] = [
      { ...store, why: 'x' },
      { what: 'key', name: 'bnak' },
    ]
    const rule = 'no step or job has come to limit "bnak" today'
    for (const dryRun of [true, false])
      await expect(decidePause('resume', unknown, { ...options, dryRun }, terminal)).rejects.toThrow(rule)
    await expect(clearLimit('bnak', store, terminal)).rejects.toThrow(rule)
    expect(await clearLimit('bnak', store, terminal).catch(exitCodeOf)).toBe(3)
    await decidePause('pause', unknown, { ...options, dryRun: true }, terminal)
    expect(await host.client.limits.get('bnak')).toBeNull()
    expect(noted.join()).toContain(rule)
    await decidePause('pause', unknown, options, terminal)
    expect(await host.client.limits.get('bnak')).toMatchObject({ atOnce: 0 })
    await decidePause('resume', unknown, options, terminal)
  })

  it('know from a module whether the workflows share a limit that no step has used', async () => {
    const workflows = fileURLToPath(new URL('./checked-list.ts', import.meta.url))
    const options = { ...store, why: 'test', workflows, dryRun: true }
    const pausing = (name: string, more = {}) =>
      decidePause('pause', { what: 'key', name }, { ...options, ...more }, terminal)
    await expect(pausing('desk')).rejects.toThrow('as in "partition:desk:PARTITION-KEY"')
    await expect(pausing('jobs:runs')).rejects.toThrow('as in "jobs:partition:runs:PARTITION-KEY"')
    await expect(setLimit('desk', { ...options, atOnce: '2' }, terminal)).rejects.toThrow('of its own')
    expect(await host.client.limits.get('desk')).toBeNull()
    expect(await pausing('jobs:lists')).toBe(0)
    expect(noted).toEqual([])
    await pausing('lists')
    expect(noted.join()).toContain('no step or job has come to limit "lists" today')
    await expect(pausing('lists', { workflows: './none.js' })).rejects.toThrow('./none.js does not exist')
  })

  it('set a limit while a job waits, which then begins, and give it back', async () => {
    expect(await set({ atOnce: '2', why: 'more lines' })).toBe(0)
    expect(said()).toMatch(/^limit bank: at work 2 of 2, rate -, set by ann at 20.*: more lines/)
    forget()
    expect(await clearLimit('bank', { ...store, json: true }, terminal)).toBe(0)
    expect((JSON.parse(said()) as LimitView).atOnce).toBe(1)
  })

  it('refuse to pause the key of limits of single partitions, and name these limits', async () => {
    const job = await host.client.submit(payingEach, null, { jobId: 'E-1', partitionKey: 'acme' })
    for await (const { why } of job.updates()) if (why.includes('to agent')) break
    const named = { what: 'key', name: 'payout' }
    for (const dryRun of [true, false]) {
      const paused = decidePause('pause', named, { ...store, why: 'test', dryRun }, terminal)
      await expect(paused).rejects.toThrow('as in "partition:payout:acme"')
    }
    await expect(showLimit('payout', store, terminal)).rejects.toThrow('as in "partition:payout:acme"')
    expect(await host.client.limits.listPaused()).toEqual([])
  })
})
