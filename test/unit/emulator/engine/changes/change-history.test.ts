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

function aChange(epk: string, lsn: number, ts = 100): VersionChange {
  const id = `${epk}@${lsn}`
  const current: VersionFields = {
    ...{ id, keyText: '["k"]', epk, number: 1, lsn, place: 0 },
    ...{ etag: '""', ts, ttl: null, text: '{}' },
  }
  return { kind: 'create', lsn, place: 0, ts, current, previous: null, isExpired: false }
}

/** Returns a container whose history begins with two partitions. */
function aContainer(): { history: ChangeHistory; merge: () => void } {
  const owner = { rid: 'c', partitions: [left, right] }
  const merge = (): void => {
    owner.partitions = [merged]
  }
  return { history: new ChangeHistory(owner, 60), merge }
}

function idsAfter(history: ChangeHistory, lsn: number): unknown[] {
  return [...history.after(merged, lsn)].map((change) => change.current?.id)
}

describe('the history after a merge of two partitions', () => {
  it('shows the changes of both in LSN order, and continues from a position in one of them', () => {
    const { history, merge } = aContainer()
    for (const lsn of [1, 4, 9]) history.add(right, [aChange('30', lsn)], 100)
    for (const lsn of [1, 2, 5]) history.add(left, [aChange('10', lsn)], 100)
    merge()
    expect(idsAfter(history, 0)).toEqual(['10@1', '30@1', '10@2', '30@4', '10@5', '30@9'])
    expect(idsAfter(history, 4)).toEqual(['10@5', '30@9'])
    history.add(merged, [aChange('10', 10)], 100)
    expect(idsAfter(history, 9)).toEqual(['10@10'])
  })

  it('remembers how far back the history of each partition reaches', () => {
    const { history, merge } = aContainer()
    history.add(left, [aChange('10', 7, 100)], 100)
    history.add(right, [aChange('30', 3, 100), aChange('30', 4, 160)], 100)
    expect(history.forget(159)).toEqual([])
    const forgotten = history.forget(160)
    expect(forgotten.map((one) => one.kind === 'change' && one.isForgotten && one.change.lsn)).toEqual([
      ...[7, 3],
      false,
    ])
    expect(forgotten.at(-1)).toMatchObject({
      kind: 'history',
      containerRid: 'c',
      floors: [{ lsn: 7 }, { lsn: 3 }],
    })
    merge()
    expect(idsAfter(history, 0)).toEqual(['30@4'])
    expect(history.isKept(left.range, 6)).toBe(false)
    expect(history.isKept(left.range, 7)).toBe(true)
    expect(history.isKept(right.range, 3)).toBe(true)
    expect(history.isKept(merged.range, 6)).toBe(false)
  })
})
