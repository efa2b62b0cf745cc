import { expect, it } from 'vitest'
import { lagText } from '../../../src/cli/commands/fleet.js'

it('says how far each role is behind, and that the store does not say', () => {
  const behind = { role: 'agents', leaseCount: 4, estimatedLag: 17, oldestAgeMs: 61_000 } as const
  const even = { role: 'scheduler', leaseCount: 4, estimatedLag: 0, oldestAgeMs: null } as const
  expect(lagText([even, behind])).toBe('lag: scheduler 0, agents 17 (oldest 1 min)')
  expect(lagText([])).toBe('lag: the store does not say')
})
