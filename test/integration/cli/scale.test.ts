import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { scale } from '../../../src/cli/commands/instances/scale.js'
import { rebalance } from '../../../src/cli/commands/instances/rebalance.js'
import { askedFile, idleFleet, temporaryFolder } from '../../support/idle-fleet.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

it('`scale` refuses one role of a fleet whose processes run all roles, and says what to scale', async () => {
  const state = join(await temporaryFolder(), 'state')
  await idleFleet({ all: 0 }, state)
  const { terminal, said } = recordedTerminal()
  const refusal: unknown = await scale('agents', '1', { state }, terminal).catch((error: unknown) => error)
  expect(exitCodeOf(refusal)).toBe(2)
  expect(String(refusal)).toMatch(
    /role "agents" cannot be scaled alone, because each process .* every role .*: scale "all", or start the fleet/,
  )
  expect(said()).toBe('')
  expect(await scale('all', '1', { state }, terminal)).toBe(0)
  expect(said()).toBe('local all: 0 → 1')
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
  expect(await rebalance('agents', { state }, terminal)).toBe(0)
  expect(await rebalance(undefined, { state, dryRun: true }, terminal)).toBe(0)
  expect(said()).toBe(
    'local agents: 1 would become 3\n1 process: each looks for leases\n3 processes: each would look for leases',
  )
  const refusal: unknown = await rebalance('notifier', { state }, terminal).catch((error: unknown) => error)
  expect(exitCodeOf(refusal)).toBe(2)
  expect(String(refusal)).toMatch(/no role "notifier": it runs agents, scheduler/)
  const away: unknown = await rebalance(undefined, { state: `${state}-2` }, terminal).catch(
    (error: unknown) => error,
  )
  expect(exitCodeOf(away)).toBe(3)
  // A warning about a fleet that does not run would mislead.
  const quiet = recordedTerminal()
  await expect(scale('agents', '0', { state: `${state}-2` }, quiet.terminal)).rejects.toThrow(
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
  while ((await asked('agents')) < 5) await rebalance('agents', { state }, recordedTerminal().terminal)
  expect(await asked('scheduler')).toBeLessThan(3)
})
