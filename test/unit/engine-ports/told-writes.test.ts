import { describe, expect, it } from 'vitest'
import type { ChangePage, FeedPosition } from '../../../src/change-feed-processor/index.js'
import type { Container } from '../../../src/emulator/engine/index.js'
import { ToldWrites } from '../../../src/engine-ports/door/told-writes.js'

/** A container with two partitions, of which each has half of the key space. */
const container = {
  partitionsIn: ({ min, max }: { readonly min: string; readonly max: string }) =>
    [
      { id: '0', min: '', max: '80' },
      { id: '1', min: '80', max: 'FF' },
    ].filter((partition) => partition.min < max && min < partition.max),
} as unknown as Container

const first = { feedRange: { min: '', max: '80' }, start: { kind: 'continuation', token: '"1"' } } as const
const second = { feedRange: { min: '80', max: 'FF' }, start: { kind: 'continuation', token: '"1"' } } as const

/** A page of the feed with these changes, and the same page as it is sent. */
function page(...changes: readonly number[]): ChangePage<string> {
  const next = [{ feedRange: { min: '', max: '80' }, start: { kind: 'now' as const } }]
  const about = { next, isDrained: false, charge: 1, sessionToken: null, headers: {}, diagnostics: null }
  return { changes: changes.map(String), ...about }
}
const sent = (...changes: readonly number[]): object => ({ ...page(), changes })

const failing = (): never => {
  throw new Error('the range is gone')
}

/** What is told, as it is sent, and the functions that run when the writes are on disk. */
function told(among: () => Container | null = () => container) {
  const messages: unknown[] = []
  const settling: (() => void)[] = []
  const writes = new ToldWrites({
    send: (message) =>
      messages.push(JSON.parse(typeof message === 'string' ? message : message()) as unknown),
    whenSettled: (run) => settling.push(run),
    readable: among,
  })
  const settle = (): void => {
    for (const run of settling.splice(0)) run()
  }
  return { writes, messages, settle }
}

describe('the news of the writes of others', () => {
  it('names all partitions that were written until the writes were on disk', () => {
    const { writes, messages, settle } = told()
    writes.note('0')
    writes.note('1')
    expect(messages).toEqual([])
    settle()
    expect(messages).toEqual([['written', ['0', '1']]])
  })

  it('has the expected page of a written partition, and only of that one', async () => {
    const { writes, messages, settle } = told()
    const read = () => page(1)
    writes.expect({ from: first, maxItemCount: 10, read })
    writes.expect({ from: second, maxItemCount: 10, read })
    writes.note('0')
    settle()
    await expect.poll(() => messages).toEqual([['written', ['0'], [first, 10, sent(1)]]])
    writes.note('0')
    settle()
    expect(messages.slice(1)).toEqual([['written', ['0']]])
    writes.note('1')
    settle()
    await expect.poll(() => messages.slice(2)).toEqual([['written', ['1'], [second, 10, sent(1)]]])
  })

  it('comes in the order of the writes, and only later news has the writes after the page', () => {
    const { writes, messages, settle } = told()
    const changes: number[] = [1]
    writes.expect({ from: first, maxItemCount: 10, read: () => page(...changes) })
    writes.note('0')
    settle()
    changes.push(2)
    writes.note('0')
    settle()
    expect(messages).toEqual([
      ['written', ['0'], [first, 10, sent(1)]],
      ['written', ['0']],
    ])
  })

  it('has the pages that could be read, although another one could not', async () => {
    const { writes, messages, settle } = told()
    writes.expect({
      from: first,
      maxItemCount: 10,
      read: failing,
    })
    writes.expect({ from: second, maxItemCount: 10, read: () => page(1) })
    writes.note('0')
    writes.note('1')
    settle()
    await expect.poll(() => messages).toEqual([['written', ['0', '1'], [second, 10, sent(1)]]])
  })

  it('has no further page after a million characters', async () => {
    const { writes, messages, settle } = told()
    const long = { ...page(), changes: [JSON.stringify('x'.repeat(2 ** 20))] }
    writes.expect({ from: first, maxItemCount: 10, read: () => long })
    writes.expect({ from: second, maxItemCount: 10, read: () => page(1) })
    writes.note('0')
    writes.note('1')
    settle()
    await expect.poll(() => messages).toMatchObject([['written', ['0', '1'], [first, 10, {}]]])
    expect(messages[0]).toHaveLength(3)
  })

  it('has the pages of the 64 ranges that were expected last', async () => {
    const { writes, messages, settle } = told()
    const rangeAt = (index: number): FeedPosition => ({
      ...first,
      feedRange: { min: '', max: `4${index.toString(16).padStart(2, '0')}` },
    })
    for (let index = 0; index < 65; index += 1)
      writes.expect({ from: rangeAt(index), maxItemCount: 10, read: () => page(1) })
    // The first one is expected again before the last one comes.
    writes.expect({ from: rangeAt(1), maxItemCount: 10, read: () => page(1) })
    writes.expect({ from: rangeAt(65), maxItemCount: 10, read: () => page(1) })
    writes.note('0')
    settle()
    await expect.poll(() => messages).toHaveLength(1)
    const [[, , ...pages]] = messages as [[string, string[], ...[FeedPosition][]]]
    const ranges = pages.map(([from]) => from.feedRange.max)
    expect(ranges).toHaveLength(64)
    expect([0, 2].map((index) => ranges.includes(rangeAt(index).feedRange.max))).toEqual([false, false])
    expect([1, 65].map((index) => ranges.includes(rangeAt(index).feedRange.max))).toEqual([true, true])
  })

  it('comes without a page that has no change or cannot be read', async () => {
    const { writes, messages, settle } = told()
    for (const read of [() => page(), failing]) {
      writes.expect({ from: first, maxItemCount: 10, read })
      writes.note('0')
      settle()
    }
    await expect
      .poll(() => messages)
      .toEqual([
        ['written', ['0']],
        ['written', ['0']],
      ])
  })

  it('comes also if the expected pages cannot even be looked for', () => {
    const { writes, messages, settle } = told(failing)
    writes.expect({ from: first, maxItemCount: 10, read: () => page(1) })
    for (const rangeId of ['0', '1']) {
      writes.note(rangeId)
      settle()
    }
    expect(messages).toEqual([
      ['written', ['0']],
      ['written', ['1']],
    ])
  })

  it('has no page that is not expected any more, and none if no page can be read at once', () => {
    const containers: (Container | null)[] = [null]
    const { writes, messages, settle } = told(() => containers[0] ?? null)
    const read = () => page(1)
    writes.expect({ from: first, maxItemCount: 10, read })
    writes.note('0')
    settle()
    containers[0] = container
    writes.forget(first)
    writes.note('0')
    settle()
    expect(messages).toEqual([
      ['written', ['0']],
      ['written', ['0']],
    ])
  })
})
