import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import type { LeaseHolder } from '../../../src/change-feed-processor/lease-holder.js'
import type { ReadPage } from '../../../src/change-feed-processor/page-positions.js'
import { Progress } from '../../../src/change-feed-processor/progress.js'

function aPage(lsn: number): ReadPage {
  const start = (token: number) => ({ kind: 'continuation', token: `"${token}"` }) as const
  const feedRange = { min: '', max: 'FF' }
  const change = { id: `at-${lsn}`, _lsn: lsn, _ts: 0, _etag: '', _rid: '' }
  return {
    from: { feedRange, start: start(lsn - 1) },
    page: { changes: [change], next: [{ feedRange, start: start(lsn) }], charge: 1, latestLsn: lsn },
  } as unknown as ReadPage
}

/** Collects what nothing refers to any more. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // A weak reference keeps what it refers to until the current turn ends.
  await Promise.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  collect()
}

it('a hold keeps the place of its page and not the page, however long it lasts', async () => {
  const stored: string[] = []
  const holder = {
    checkpoint: (token: string) => {
      stored.push(token)
      return Promise.resolve()
    },
  } as unknown as LeaseHolder
  const progress = new Progress(holder, { kind: 'continuation', token: '"0"' })
  const pages: WeakRef<ReadPage['page']>[] = []
  const releases = await (async () => {
    const held = progress.track(aPage(1))
    const handled = progress.track(aPage(2))
    pages.push(new WeakRef(held.page), new WeakRef(handled.page))
    const release = progress.hold(held)
    await progress.handledUpTo(held, 1)
    await progress.handledUpTo(handled, 1)
    return [release]
  })()
  expect(stored).toEqual([])
  await collectGarbage()
  expect(pages.map((page) => page.deref())).toEqual([undefined, undefined])
  for (const release of releases) release()
  expect(stored).toEqual(['"2"'])
})
