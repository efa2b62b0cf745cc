import { describe, expect, it } from 'vitest'
import { SameContainer } from '../../../../src/change-feed-processor/feed/same-container.js'

const page = (rid?: string) => ({ headers: rid === undefined ? {} : { 'x-ms-content-path': rid } })
/** Resource ids of containers, of eight bytes each. */
const [one, other] = ['c+DbivPg24s=', 'ooZuh6KGbog=']

describe('a processor with leases for a container', () => {
  /** The check of a processor that has started on the first container, and what the name stands for later. */
  async function started(rid: string | null, later: string | null) {
    const answers = [rid]
    let asked = 0
    const containerRid = async () => ((asked += 1), answers.shift() ?? later)
    const same = new SameContainer(rid === null ? {} : { containerRid })
    await same.learn()
    return { same, asked: () => asked }
  }

  it('reads pages of this container, however its id is written, and pages that do not tell', async () => {
    const { same, asked } = await started('ab/DbivPg24s=', null)
    for (const rid of ['ab/DbivPg24s=', 'ab-DbivPg24s=', 'ab-DbivPg24s', undefined, 'c+DbiQ=='])
      expect(same.check(page(rid)), String(rid)).toBeNull()
    expect(asked()).toBe(1)
  })

  it('refuses pages of another container, at each read', async () => {
    for (const later of [other, null]) {
      const { same } = await started(one, later)
      for (let reads = 0; reads < 2; reads += 1)
        await expect(same.check(page(other))).rejects.toMatchObject({
          code: 'CONTAINER_REPLACED',
          formerRid: one,
        })
    }
  })

  it('is not stopped by a header with another id than that of the container', async () => {
    const { same, asked } = await started(one, one)
    await expect(same.check(page(other))).resolves.toBeUndefined()
    expect(same.check(page(other))).toBeNull()
    expect(asked()).toBe(2)
    const third = 'AAAAAAAAAAA='
    await expect(same.check(page(third)), 'another header asks again').resolves.toBeUndefined()
    expect(asked()).toBe(3)
  })

  it('keeps to the container of its first page if the feed does not tell', async () => {
    const { same } = await started(null, null)
    expect(same.check(page(one))).toBeNull()
    await expect(same.check(page(other))).rejects.toThrow('was deleted and created again')
  })
})
