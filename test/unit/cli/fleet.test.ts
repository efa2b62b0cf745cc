import { expect, it } from 'vitest'
import { describe, lagText } from '../../../src/cli/commands/instances/fleet.js'
import { rebalance } from '../../../src/cli/commands/instances/rebalance.js'
import { emulatorMerge, type MergeOptions } from '../../../src/cli/commands/store/emulator-partitions.js'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { shown } from '../../../src/cli/output/terminal.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

it('the lag text tells how far each role is behind, or that the lag is unknown', () => {
  const behind = { role: 'agents', leaseCount: 4, estimatedLag: 17, oldestAgeMs: 61_000 } as const
  const even = { role: 'scheduler', leaseCount: 4, estimatedLag: 0, oldestAgeMs: null } as const
  expect(lagText([even, behind])).toBe('lag: scheduler 0, agents 17 (oldest 1 min)')
  expect(lagText([])).toBe('lag: unknown, because the store does not answer')
})

it('the fleet table fits a terminal of 80 columns, however long the names of instances are', () => {
  const row = {
    role: 'supervisor',
    instanceName: 'orders-supervisor-production-0123456789abcdef-0123ab',
    processId: 4_194_304,
    state: 'starting',
    upMs: 86_400_000,
    leases: 128,
    residentBytes: 1e9,
    cpuShare: 1,
  } as const
  const counts = { supervisor: 2 }
  const status = { processId: 1, wanted: counts, leases: counts, backlog: [], rows: [row] }
  const text = shown(describe(status, { width: 80, tableWidth: 80 }), false)
  for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  expect(text).toMatch(/supervisor +4194304 +orders-\S+…\S+ab +starting +128/)
})

it('a role that does not exist is refused before a fleet is looked for', async () => {
  const { terminal } = recordedTerminal()
  const refused = rebalance('nosuch', {}, terminal)
  await expect(refused).rejects.toThrow(/^"nosuch" is not a role: it must be one of/)
  expect(await refused.catch(exitCodeOf)).toBe(2)
})

it.each<[Partial<MergeOptions>, RegExp]>([
  [{ ranges: ['1', '1'] }, /^--ranges 1 1 must be two different range ids/],
  [{ ranges: ['1'] }, /^--ranges 1 must be two different range ids/],
  [{ endpoint: 'nonsense' }, /^--endpoint "nonsense" must be a URL/],
])('emulator merge refuses %j', async (given, message) => {
  const options = { endpoint: 'http://127.0.0.1:1/', ranges: ['1', '2'], ...given }
  const merging = emulatorMerge('stepward/state', options, recordedTerminal().terminal)
  await expect(merging).rejects.toThrow(message)
  expect(await merging.catch(exitCodeOf)).toBe(2)
})
