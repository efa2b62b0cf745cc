import { describe, expect, it } from 'vitest'
import { SameContainer } from '../../../../src/change-feed-processor/feed/same-container.js'

const page = (rid?: string) => ({ headers: rid === undefined ? {} : { 'x-ms-content-path': rid } })
/** Resource ids of containers, of eight bytes each. */
const [one, other] = ['c+DbivPg24s=', 'ooZuh6KGbog=']

/** A feed that says which container it reads, and counts the questions. */
function feedOf(rid: string | null) {
  const feed = { asked: 0, containerRid: async () => ((feed.asked += 1), rid) }
  return feed
}

describe('a processor with leases for a container', () => {
  it('reads pages of this container, however its id is written, and pages that do not tell', () => {
    const feed = feedOf(null)
    const same = new SameContainer('ab/DbivPg24s=', feed)
    for (const rid of ['ab/DbivPg24s=', 'ab-DbivPg24s=', 'ab-DbivPg24s', undefined, 'c+DbiQ=='])
      expect(same.check(page(rid)), String(rid)).toBeNull()
    expect(feed.asked).toBe(0)
  })

  it('refuses pages of another container, at each read', async () => {
    for (const rid of [other, null]) {
      const same = new SameContainer(one, feedOf(rid))
      for (let reads = 0; reads < 2; reads += 1)
        await expect(same.check(page(other))).rejects.toMatchObject({
          code: 'CONTAINER_REPLACED',
          formerRid: one,
        })
    }
    await expect(new SameContainer(one, {}).check(page(other)), 'a feed without the method').rejects.toThrow(
      other,
    )
  })

  it('is not stopped by a header with another id than that of the container', async () => {
    const feed = feedOf(one)
    const same = new SameContainer(one, feed)
    await expect(same.check(page(other))).resolves.toBeUndefined()
    expect(same.check(page(other))).toBeNull()
    expect(feed.asked).toBe(1)
  })

  it('keeps to the container of its first page if the leases do not tell', async () => {
    const same = new SameContainer(null, {})
    expect(same.check(page(one))).toBeNull()
    await expect(same.check(page(other))).rejects.toThrow('was deleted and created again')
  })
})
