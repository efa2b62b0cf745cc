import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../../src/connection/index.js'
import { createInProcessCosmos, startEmulator } from '../../../src/emulator/index.js'
import { audit } from '../../../src/cli/commands/operations/audit.js'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { scale } from '../../../src/cli/commands/instances/scale.js'
import { rebalance } from '../../../src/cli/commands/instances/rebalance.js'
import { askedFile, idleFleet, temporaryFolder } from '../../support/idle-fleet.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const why = 'the sale begins'

it('`scale` refuses one role of a fleet whose processes run all roles, and says what to scale', async () => {
  const state = join(await temporaryFolder(), 'state')
  await idleFleet({ all: 0 }, state)
  const { terminal, said } = recordedTerminal()
  const refusal: unknown = await scale('agents', '1', { state, why }, terminal).catch(
    (error: unknown) => error,
  )
  expect(exitCodeOf(refusal)).toBe(2)
  expect(String(refusal)).toMatch(
    /role "agents" cannot be scaled alone, because each process .* every role .*: scale "all", or start the fleet/,
  )
  expect(said()).toBe('')
  expect(await scale('all', '1', { state, why }, terminal)).toBe(0)
  expect(said()).toMatch(/^local all: 0 → 1$/m)
})

it('`scale --dry-run` changes nothing, and `rebalance` asks the processes of a role', async () => {
  const state = join(await temporaryFolder(), 'state')
  await idleFleet({ agents: 1, scheduler: 2 }, state)
  const { terminal, said } = recordedTerminal()
  expect(await scale('agents', '3', { state, dryRun: true }, terminal)).toBe(0)
  const noted = recordedTerminal()
  expect(await scale('agents', '0', { state, dryRun: true }, noted.terminal)).toBe(0)
  expect(noted.said()).toBe(
    'Without an instance of agents, no step is carried out until one runs again.\nlocal agents: 1 would become 0',
  )
  expect(await rebalance('agents', { state, dryRun: true }, terminal)).toBe(0)
  expect(await rebalance(undefined, { state, dryRun: true }, terminal)).toBe(0)
  expect(said()).toBe(
    'local agents: 1 would become 3\n1 process: each would look for leases\n3 processes: each would look for leases',
  )
  const refusal: unknown = await rebalance('notifier', { state, why }, terminal).catch(
    (error: unknown) => error,
  )
  expect(exitCodeOf(refusal)).toBe(2)
  expect(String(refusal)).toMatch(/no role "notifier": it runs agents, scheduler/)
  const away: unknown = await rebalance(undefined, { state: `${state}-2`, why }, terminal).catch(
    (error: unknown) => error,
  )
  expect(exitCodeOf(away)).toBe(3)
  // A warning about a fleet that does not run would mislead.
  const quiet = recordedTerminal()
  await expect(scale('agents', '0', { state: `${state}-2`, why }, quiet.terminal)).rejects.toThrow(
    'no fleet answers',
  )
  expect(quiet.said()).toBe('')
})

it('`rebalance` reaches the processes of the role, and no others', async () => {
  const state = join(await temporaryFolder(), 'state')
  await idleFleet({ agents: 1, scheduler: 1 }, state)
  const asked = async (role: string): Promise<number> =>
    (await readFile(askedFile(state, role), 'utf8').catch(() => '')).split('rebalance').length - 1
  // The fleet itself asks each process at most once for each of the two starts.
  while ((await asked('agents')) < 5) await rebalance('agents', { state, why }, recordedTerminal().terminal)
  expect(await asked('scheduler')).toBeLessThan(3)
})

describe('the decision', () => {
  /** Returns a folder with an embedded store that no process has open. */
  async function closedStore(): Promise<string> {
    const data = join(await temporaryFolder(), 'data')
    const cosmos = createInProcessCosmos({ dataDirectory: data })
    const client = await connect({ embedded: cosmos })
    client.close()
    await cosmos.close()
    return data
  }

  async function auditIn(data: string): Promise<unknown> {
    const { terminal, said } = recordedTerminal()
    expect(await audit({ data, limit: '10', json: true }, terminal)).toBe(0)
    return JSON.parse(said())
  }

  const target = `fleet on ${hostname()}`

  it('needs a reason, without which nothing changes', async () => {
    const state = join(await temporaryFolder(), 'state')
    const fleet = await idleFleet({ agents: 1 }, state)
    const { terminal } = recordedTerminal()
    for (const refused of [
      () => scale('agents', '2', { state }, terminal),
      () => rebalance('agents', { state }, terminal),
      () => scale('agents', '2', { state, why: '' }, terminal),
      () => scale('agents', '2', { state, why, by: 'x'.repeat(201) }, terminal),
      () => scale('agents', '2', { state, why, data: 'x', endpoint: 'https://x' }, terminal),
    ]) {
      const refusal: unknown = await refused().catch((error: unknown) => error)
      expect(exitCodeOf(refusal), String(refusal)).toBe(2)
    }
    expect((await fleet.status()).wanted).toEqual({ agents: 1 })
  })

  it('is recorded in the store of the fleet if the user names no store', async () => {
    const [data, state] = [await closedStore(), join(await temporaryFolder(), 'state')]
    await idleFleet({ agents: 1, scheduler: 1 }, state, { data })
    const { terminal, said } = recordedTerminal()
    expect(await scale('agents', '3', { state, why, by: 'ann', json: true }, terminal)).toBe(0)
    const numbers = { target: 'local agents', before: 1, instances: 3 }
    expect(JSON.parse(said())).toEqual({ ...numbers, by: 'ann', why, isRecorded: true })
    const second = recordedTerminal()
    expect(await rebalance(undefined, { state, why: 'uneven', by: 'bob' }, second.terminal)).toBe(0)
    expect(second.noted).toEqual([])
    expect(await scale('agents', '9', { state, dryRun: true }, terminal)).toBe(0)
    expect(await auditIn(data)).toMatchObject([
      { about: 'fleet', id: 'all', command: 'rebalance', target, by: 'bob', why: 'uneven' },
      { about: 'fleet', id: 'agents', command: 'scale 1 → 3', target, by: 'ann', why },
    ])
    const shown = recordedTerminal()
    await audit({ data, limit: '10' }, shown.terminal)
    expect(shown.said()).toMatch(/ann +scale 1 → 3 +agents, .*the sale begins/)
  })

  it('is recorded in the store that the user names', async () => {
    const [named, own] = [await closedStore(), await closedStore()]
    const state = join(await temporaryFolder(), 'state')
    await idleFleet({ agents: 1 }, state, { data: own })
    const { terminal, noted } = recordedTerminal()
    expect(await scale('agents', '0', { state, why, data: named }, terminal)).toBe(0)
    expect(noted).toEqual(['Without an instance of agents, no step is carried out until one runs again.'])
    expect(await auditIn(named)).toMatchObject([{ command: 'scale 1 → 0' }])
    expect(await auditIn(own)).toEqual([])
  })

  it('is recorded in the account of the fleet, for which the user gives only the key', async () => {
    const emulator = await startEmulator({ port: 0 })
    onTestFinished(() => emulator.close())
    const { endpoint, key } = emulator
    const client = await connect({ endpoint, key })
    client.close()
    const state = join(await temporaryFolder(), 'state')
    await idleFleet({ agents: 1 }, state, { endpoint })
    const { terminal, said, noted } = recordedTerminal()
    expect(await scale('agents', '2', { state, why, key }, terminal)).toBe(0)
    expect(noted).toEqual([])
    const shown = recordedTerminal()
    await audit({ endpoint, key, limit: '10', json: true }, shown.terminal)
    expect(JSON.parse(shown.said()), said()).toMatchObject([{ command: 'scale 1 → 2', target }])
  })

  it('is carried out without a store, and a note says how to name one', async () => {
    const state = join(await temporaryFolder(), 'state')
    const fleet = await idleFleet({ agents: 1 }, state)
    const { terminal, said } = recordedTerminal()
    expect(await scale('agents', '2', { state, why }, terminal)).toBe(0)
    expect(said()).toMatch(
      /local agents: 1 → 2\nstepward: the audit may lack this decision: no store is named: pass --data DIR or --endpoint URL/,
    )
    expect((await fleet.status()).wanted).toEqual({ agents: 2 })
    const json = recordedTerminal()
    expect(await rebalance('agents', { state, why, json: true }, json.terminal)).toBe(0)
    expect(JSON.parse(json.said().split('\n')[0] ?? '')).toMatchObject({
      isRecorded: false,
      note: expect.stringContaining('no store is named') as string,
    })
  })

  it.each([
    ['refuses connections', { endpoint: 'http://127.0.0.1:9', key: 'a2V5' }, /no answer from http:/],
    ['does not exist', { data: 'no-such-folder' }, /--data no-such-folder holds no embedded store/],
  ])('is carried out although its store %s', async (_title, store, problem) => {
    const state = join(await temporaryFolder(), 'state')
    const fleet = await idleFleet({ agents: 1 }, state)
    const { terminal, noted } = recordedTerminal()
    expect(await scale('agents', '2', { state, why, ...store }, terminal)).toBe(0)
    expect(noted.join('\n')).toMatch(problem)
    expect((await fleet.status()).wanted).toEqual({ agents: 2 })
  })
})
