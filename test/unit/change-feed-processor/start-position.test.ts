import { describe, expect, it } from 'vitest'
import { startOf } from '../../../src/change-feed-processor/start-position.js'
import { aLease } from '../../support/a-lease.js'

describe('where a lease goes on', () => {
  it.each([
    [{ continuationToken: '"7"' }, 'now', { kind: 'continuation', token: '"7"' }],
    [{ firstPosition: { kind: 'time', atMs: 5 } }, 'now', { kind: 'time', atMs: 5 }],
    [{ firstPosition: null }, 'now', { kind: 'now' }],
    [{ firstPosition: null }, 'beginning', { kind: 'beginning' }],
    [{ firstPosition: null }, new Date(9), { kind: 'time', atMs: 9 }],
  ] as const)('%j, asked to start from %j', (fields, startFrom, start) => {
    expect(startOf(aLease(fields), startFrom)).toEqual(start)
  })
})
