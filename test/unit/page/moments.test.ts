import { describe, expect, it } from 'vitest'
import { documentsAt, newestPosition, partOf } from '../../../src/page/browser/past/moments.js'

type Moment = Parameters<typeof documentsAt>[0][number]

const told = (moment: string | null, ...names: readonly string[]): Moment => ({
  moment,
  at: '2026-01-01T00:00:00.000Z',
  by: null,
  changes: names.map((name) => ({
    document: name.replace('-', ''),
    stepId: name === 'job' ? null : name.replace('-', ''),
    kind: name.startsWith('-') ? 'deleted' : 'changed',
    what: [],
  })),
})

const moments = [
  told('4', 'job', 'pay', 'ship'),
  told('7', 'pay'),
  told('9', 'ship', 'job'),
  told('12', '-pay'),
  told('15', 'ship'),
]

describe('the documents of a moment', () => {
  it('are those of all moments until then, the changed ones first and the job before its steps', () => {
    const at = (index: number) =>
      documentsAt(moments, index).map(
        ({ document, moment, isChanged, isDeleted }) =>
          `${document}@${moment}${isChanged ? ' changed' : ''}${isDeleted ? ' deleted' : ''}`,
      )
    expect(at(0)).toEqual(['job@4 changed', 'pay@4 changed', 'ship@4 changed'])
    expect(at(1)).toEqual(['pay@7 changed', 'job@4', 'ship@4'])
    expect(at(2)).toEqual(['job@9 changed', 'ship@9 changed', 'pay@7'])
    expect(at(3)).toEqual(['pay@12 changed deleted', 'job@9', 'ship@9'])
    expect(at(4)).toEqual(['ship@15 changed', 'job@9'])
  })

  it('are found in a list of bounded parts', () => {
    expect([partOf(-1), partOf(0), partOf(49), partOf(50), partOf(9_999)]).toEqual([0, 0, 0, 50, 9_950])
  })
})

describe('the position of newer changes', () => {
  const aPage = (source: 'versions' | 'record', next: string | null) => ({
    source,
    next,
    note: null,
    charge: 1,
    moments,
  })

  it('is the next page or, at the end, the newest moment', () => {
    expect(newestPosition([])).toBeNull()
    expect(newestPosition([aPage('versions', '20')])).toBe('20')
    expect(newestPosition([aPage('versions', null)])).toBe('15')
    expect(newestPosition([aPage('record', null)])).toBeNull()
  })
})
