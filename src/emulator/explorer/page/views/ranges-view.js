import { mergeRanges, readRanges, splitRange } from '../account/resources.js'
import { button, fill, h, textOf } from './dom.js'
import { counted } from './formats.js'
import { table } from './rows-table.js'

/**
 * @typedef {import('../account/account.js').Account} Account
 * @typedef {import('../account/resources.js').ContainerPlace} ContainerPlace
 * @typedef {import('../account/resources.js').Range} Range
 */

/**
 * Shows the physical ranges of a container, and splits and merges them.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 */
export function rangesView(account, place) {
  const results = h('div', { className: 'results' })
  const show = async () => {
    try {
      const ranges = await readRanges(account, place)
      fill(results, rangesTable([...ranges].sort(byPlace), change))
    } catch (error) {
      fill(results, h('p', { className: 'problem', role: 'alert' }, textOf(error)))
    }
  }
  const change = async (/** @type {readonly Range[]} */ ranges) => {
    const [one, other] = ranges
    if (one !== undefined && other === undefined) await splitRange(account, place, one.id)
    if (one !== undefined && other !== undefined) await mergeRanges(account, place, [one.id, other.id])
    await show()
  }
  void show()
  const explanation =
    'Each physical range holds a part of the key space. Requests for a range that was split or merged get ' +
    'status 410, and clients then read the new ranges.'
  return {
    element: h(
      'div',
      {},
      h('div', { className: 'bar' }, h('p', { className: 'quiet' }, explanation), button('Refresh', show)),
      results,
    ),
  }
}

/**
 * @param {Range} one
 * @param {Range} other
 */
function byPlace(one, other) {
  return one.min < other.min ? -1 : 1
}

/**
 * Returns a bound of the key space in a short form. The first characters are usually enough to tell bounds
 * apart.
 *
 * @param {string} bound
 */
function boundText(bound) {
  if (bound === '') return 'start'
  if (bound === 'FF') return 'end'
  return bound.length > 12 ? h('span', { title: bound }, `${bound.slice(0, 10)}…`) : bound
}

/**
 * @param {readonly Range[]} ranges in the order of the key space
 * @param {(ranges: readonly Range[]) => unknown} change splits one range, or merges two
 */
function rangesTable(ranges, change) {
  const total = ranges.reduce((sum, { documents }) => sum + documents, 0)
  return h(
    'div',
    {},
    table(
      ['range', 'items', 'share', '', 'from', 'to'],
      ranges.map((range, index) => {
        const next = ranges[index + 1]
        const share = h('meter', {
          max: Math.max(total, 1),
          value: range.documents,
          'aria-label': `Share of range ${range.id}`,
        })
        return [
          range.id,
          range.documents.toLocaleString('en'),
          share,
          h(
            'span',
            { className: 'actions' },
            button('Split', () => change([range]), { 'aria-label': `Split range ${range.id}` }),
            next === undefined
              ? null
              : button(`Merge with ${next.id}`, () => change([range, next]), {
                  'aria-label': `Merge the ranges ${range.id} and ${next.id}`,
                }),
          ),
          boundText(range.min),
          boundText(range.max),
        ]
      }),
    ),
    h('p', { className: 'quiet' }, `${counted(ranges.length, 'range')}, ${counted(total, 'item')}`),
  )
}
