import { describe, expect, it } from 'vitest'
import { ChangeHistory } from '../../../../../src/emulator/engine/changes/change-history.js'
import {
  PhysicalPartition,
  type VersionChange,
  type VersionFields,
} from '../../../../../src/emulator/engine/index.js'

const left = new PhysicalPartition({ id: '0', range: { min: '', max: '20' }, parents: [] }, 0)
const right = new PhysicalPartition({ id: '1', range: { min: '20', max: 'FF' }, parents: [] }, 0)
const merged = new PhysicalPartition({ id: '2', range: { min: '', max: 'FF' }, parents: ['0', '1'] }, 9)
const apart = [left, right]

function aChange(epk: string, lsn: number, ts = 100): VersionChange {
  const id = `${epk}@${lsn}`
  const current: VersionFields = {
    ...{ id, keyText: '["k"]', epk, number: 1, lsn, place: 0 },
    ...{ etag: '""', ts, ttl: null, text: '{}' },
  }
  return { kind: 'create', lsn, place: 0, ts, current, previous: null, isExpired: false }
}

function idsAfter(history: ChangeHistory, lsn: number): unknown[] {
  return [...history.after([merged], merged, lsn)].map((change) => change.current?.id)
}

describe('a history after two partitions became one', () => {
  it('has the changes of both in LSN order, so that a position in one is after what it has seen', () => {
    const history = new ChangeHistory(apart, 60)
    for (const lsn of [1, 4, 9]) history.add(apart, right, [aChange('30', lsn)])
    for (const lsn of [1, 2, 5]) history.add(apart, left, [aChange('10', lsn)])
    expect(idsAfter(history, 0)).toEqual(['10@1', '30@1', '10@2', '30@4', '10@5', '30@9'])
    expect(idsAfter(history, 4)).toEqual(['10@5', '30@9'])
    history.add([merged], merged, [aChange('10', 10)])
    expect(idsAfter(history, 9)).toEqual(['10@10'])
  })

  it('remembers for each of them how far back it goes', () => {
    const history = new ChangeHistory(apart, 60)
    history.add(apart, left, [aChange('10', 7, 100)])
    history.add(apart, right, [aChange('30', 3, 100), aChange('30', 4, 160)])
    expect(history.forget(apart, 159)).toBeNull()
    expect(history.forget(apart, 160)?.changes.map(({ lsn }) => lsn)).toEqual([7, 3])
    expect(idsAfter(history, 0)).toEqual(['30@4'])
    expect(history.isKept(left.range, 6)).toBe(false)
    expect(history.isKept(left.range, 7)).toBe(true)
    expect(history.isKept(right.range, 3)).toBe(true)
    expect(history.isKept(merged.range, 6)).toBe(false)
  })
})
