import { expect, it } from 'vitest'
import {
  numbersIn,
  placesOf,
  summaryOf,
  unionOf,
  type Placed,
} from '../../../../src/emulator/indexes/summaries/block-summary.js'
import { Chapter } from '../../../../src/emulator/indexes/summaries/chapter.js'

const paths = [['type'], ['state'], ['due'], ['id'], ['flag']]

/** A block with ended jobs and one job that waits, with an id and a deadline that no other job has. */
function block(number: number, flag?: string): Iterable<Placed> {
  const ended = Array.from({ length: 60 }, (_, place): Placed => {
    return [place, { type: 'job', state: 'ended', id: `${number}-${place}` }]
  })
  const waits = { type: 'job', state: 'waits', due: number * 1_000, id: `${number}-60` }
  return [...ended, [60, flag === undefined ? waits : { ...waits, flag }]]
}

function chapterOfBlocks(): Chapter {
  const chapter = new Chapter(0)
  for (let number = 0; number < 64; number += 1)
    chapter.set(number, summaryOf(paths, block(number, number === 7 ? 'step' : undefined)))
  return chapter
}

it('joins the groups of blocks that differ only in values of their own', () => {
  const summary = chapterOfBlocks().summary()
  expect(summary.map(({ count, places }) => [count, places?.length])).toEqual([
    [64 * 60, 64],
    [63, 63],
    [1, 1],
  ])
})

it('keeps the range of the joined values, and the place of a rare document', () => {
  const [, waiting, flagged] = chapterOfBlocks().summary()
  expect(waiting?.cells.slice(1)).toEqual([
    ['waits', 'waits'],
    [0, 63_000],
    ['0-60', '9-60'],
    [undefined, undefined],
  ])
  expect(numbersIn(flagged?.places ?? '')).toEqual([7])
})

it('has a summary however many values the paths have', () => {
  const chapter = new Chapter(0)
  const few = Array.from({ length: 8 }, (_, value) => value)
  for (let number = 0; number < 64; number += 1) {
    const document = (place: number) => ({ state: place, flag: (number + place) % 8 })
    const documents = few.flatMap((place): Placed[] => [
      [place, { ...document(place), type: 'a' }],
      [place + 8, { ...document(place), type: 'b', due: place + number * 8 }],
    ])
    chapter.set(number, summaryOf(paths, documents))
  }
  const summary = chapter.summary()
  expect(summary.length).toBeLessThanOrEqual(96)
  expect(summary.reduce((sum, { count }) => sum + count, 0)).toBe(64 * 16)
})

it('tells documents without a deadline from others, although nothing else tells them apart', () => {
  const chapter = new Chapter(0)
  for (let number = 0; number < 64; number += 1) {
    const documents: readonly Placed[] = [
      [0, { type: 'job', state: `${number}-ended` }],
      [1, { type: 'job', state: `${number}-waits`, due: number }],
    ]
    chapter.set(number, summaryOf(paths, documents))
  }
  expect(chapter.summary().map(({ cells }) => cells[2])).toEqual([
    [undefined, undefined],
    [0, 63],
  ])
})

it('joins again after a change of a block', () => {
  const chapter = chapterOfBlocks()
  chapter.summary()
  chapter.delete(7)
  expect(chapter.summary()).toHaveLength(2)
  chapter.set(7, summaryOf(paths, block(7, 'step')))
  expect(chapter.summary()).toHaveLength(3)
})

it('keeps places as text', () => {
  const all = Array.from({ length: 256 }, (_, place) => place)
  expect(numbersIn(placesOf(all))).toEqual(all)
  expect(unionOf([placesOf([3, 200]), placesOf([0, 3, 100])])).toEqual([0, 3, 100, 200])
})
