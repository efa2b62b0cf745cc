import { describe, expect, it } from 'vitest'
import type { Container } from '../../../src/emulator/engine/index.js'
import { ToldWrites } from '../../../src/engine-ports/door/told-writes.js'
import { deferred } from '../../support/deferred.js'

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

/** What is told, as it is sent, and the functions that run when the writes are on disk. */
function told(among: () => Container | null = () => container) {
  const messages: unknown[] = []
  const settling: (() => void)[] = []
  const writes = new ToldWrites({
    send: (message) =>
      messages.push(JSON.parse(typeof message === 'string' ? message : message()) as unknown),
    whenSettled: (run) => settling.push(run),
    container: among,
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
    const read = async () => ({ text: '{"changes":[1]}', count: 1 })
    writes.expect({ from: first, maxItemCount: 10, read })
    writes.expect({ from: second, maxItemCount: 10, read })
    writes.note('0')
    settle()
    await expect.poll(() => messages).toEqual([['written', ['0'], [first, 10, { changes: [1] }]]])
    writes.note('0')
    settle()
    expect(messages.slice(1)).toEqual([['written', ['0']]])
    writes.note('1')
    settle()
    await expect.poll(() => messages.slice(2)).toEqual([['written', ['1'], [second, 10, { changes: [1] }]]])
  })

  it('is told again of a write that came while an expected page was read', async () => {
    const { writes, messages, settle } = told()
    const reading = deferred<{ text: string; count: number }>()
    writes.expect({ from: first, maxItemCount: 10, read: () => reading.promise })
    writes.note('0')
    settle()
    writes.note('0')
    reading.resolve({ text: '{"changes":[1]}', count: 1 })
    await expect.poll(() => messages).toEqual([['written', ['0'], [first, 10, { changes: [1] }]]])
    settle()
    expect(messages.slice(1)).toEqual([['written', ['0']]])
  })

  it('comes without a page that has no change or cannot be read', async () => {
    const { writes, messages, settle } = told()
    for (const read of [
      async () => ({ text: '{"changes":[]}', count: 0 }),
      () => Promise.reject(new Error('the range is gone')),
    ]) {
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

  it('has no page that is not expected any more, and none if the container is gone', () => {
    const containers: (Container | null)[] = [null]
    const { writes, messages, settle } = told(() => containers[0] ?? null)
    const read = async () => ({ text: '{"changes":[1]}', count: 1 })
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
