import { describe, expect, it } from 'vitest'
import { childLeases } from '../../../../src/change-feed-processor/ownership/split.js'
import { aLease } from '../../../support/a-lease.js'

const left = { min: '', max: '80' }
const right = { min: '80', max: 'FF' }
const physicalRanges = [
  { id: '1', ...left },
  { id: '2', ...right },
]
const token = '"7"'

describe('the leases of the children of a split', () => {
  it('are named by the ids of their partitions, and continue where the parent was (B186)', () => {
    const parts = [
      { feedRange: left, start: { kind: 'continuation', token: '"9"' } as const },
      { feedRange: right, start: { kind: 'continuation', token } as const },
    ]
    const mode = 'Full-Fidelity Feed'
    expect(childLeases(aLease({ mode }), parts, physicalRanges)).toEqual([
      {
        leaseToken: '1',
        feedRange: left,
        continuationToken: '"9"',
        firstPosition: null,
        mode,
        properties: {},
      },
      {
        leaseToken: '2',
        feedRange: right,
        continuationToken: token,
        firstPosition: null,
        mode,
        properties: {},
      },
    ])
  })

  it('keep properties of other tools, and nothing about the owner (§4.10, B179)', () => {
    const parent = aLease({
      document: { properties: { note: 'kept', 'stepward.incarnation': '{"owner":"a","incarnation":"1"}' } },
    })
    const parts = [{ feedRange: left, start: { kind: 'continuation', token } as const }]
    expect(childLeases(parent, parts, physicalRanges).map((child) => child.properties)).toEqual([
      { note: 'kept' },
    ])
  })

  it('are named by their bounds if the parent was, or if they are not whole partitions', () => {
    const parts = [left, right].map((feedRange) => ({
      feedRange,
      start: { kind: 'continuation', token } as const,
    }))
    const bounded = aLease({ leaseToken: '-FF' })
    expect(childLeases(bounded, parts, physicalRanges).map((child) => child.leaseToken)).toEqual([
      '-80',
      '80-FF',
    ])
    const [only] = physicalRanges
    if (only === undefined) throw new Error('no range')
    expect(childLeases(aLease(), parts, [only]).map((child) => child.leaseToken)).toEqual(['1', '80-FF'])
    const others = [
      { id: '3', min: '', max: '40' },
      { id: '4', min: '40', max: '80' },
    ]
    expect(childLeases(aLease(), parts.slice(0, 1), others).map((child) => child.leaseToken)).toEqual(['-80'])
  })

  it.each([
    [{ kind: 'beginning' } as const, { kind: 'beginning' }],
    [{ kind: 'time', atMs: 5 } as const, { kind: 'time', atMs: 5 }],
    [{ kind: 'now' } as const, null],
  ])('keep the first position %j if they have not been read', (start, firstPosition) => {
    const [child] = childLeases(aLease(), [{ feedRange: left, start }], physicalRanges)
    expect(child).toMatchObject({ continuationToken: null, firstPosition })
  })
})
