import { describe, expect, it } from 'vitest'
import { reciprocalRankFusion } from '../../../../../../src/emulator/query/functions/full-text/reciprocal-rank-fusion.js'

describe('reciprocalRankFusion', () => {
  it('adds 1 / (60 + rank) over all rankings', () => {
    const fused = reciprocalRankFusion([{ scores: [3, 2, 1] }, { scores: [10, 30, 20] }])
    expect(fused).toEqual([1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62])
  })

  it('multiplies each ranking by its weight', () => {
    const fused = reciprocalRankFusion([{ scores: [2, 1], weight: 2 }, { scores: [1, 2] }])
    expect(fused).toEqual([2 / 61 + 1 / 62, 2 / 62 + 1 / 61])
    expect(reciprocalRankFusion([{ scores: [2, 1], weight: 0 }])).toEqual([0, 0])
  })

  it('ranks the lowest scores first if the weight is negative, and documents without a score last', () => {
    expect(reciprocalRankFusion([{ scores: [2, undefined, 1], weight: -0.5 }])).toEqual([
      0.5 / 62,
      0.5 / 63,
      0.5 / 61,
    ])
  })

  it('gives documents with the same score the same rank, and the next one the next rank', () => {
    expect(reciprocalRankFusion([{ scores: [5, 5, 4] }])).toEqual([1 / 61, 1 / 61, 1 / 62])
  })

  it('ranks documents without a score last', () => {
    expect(reciprocalRankFusion([{ scores: [undefined, -5, undefined, 0] }])).toEqual([
      1 / 63,
      1 / 62,
      1 / 63,
      1 / 61,
    ])
  })

  it('fuses nothing into nothing', () => {
    expect(reciprocalRankFusion([])).toEqual([])
    expect(reciprocalRankFusion([{ scores: [] }])).toEqual([])
  })
})
