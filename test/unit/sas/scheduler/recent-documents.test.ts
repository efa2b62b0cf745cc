import { describe, expect, it } from 'vitest'
import { RecentDocuments } from '../../../../src/sas/scheduler/memory/recent-documents.js'
import { asStored } from '../../../support/a-job.js'

const document = (id: string, pk = 'job-1') => asStored({ pk, id })

/** The size of a document of these tests. */
const bytesEach = (() => {
  const one = new RecentDocuments(9_000)
  one.put(document('a'))
  return one.heldBytes
})()

describe('recent documents', () => {
  it('are found by partition and id until they are forgotten', () => {
    const recent = new RecentDocuments(9_000)
    recent.put(document('a'))
    recent.put(document('a', 'job-2'))
    expect(recent.get({ pk: 'job-1', id: 'a' })).toEqual(document('a'))
    recent.forget({ pk: 'job-1', id: 'a' })
    expect(recent.get({ pk: 'job-1', id: 'a' })).toBeUndefined()
    expect(recent.get({ pk: 'job-2', id: 'a' })).toEqual(document('a', 'job-2'))
  })

  it('are returned in the version that was put last', () => {
    const recent = new RecentDocuments(9_000)
    recent.put(document('a'))
    recent.put(asStored(document('a'), '"2"'))
    expect(recent.get(document('a'))?._etag).toBe('"2"')
  })

  it('stay within their memory limit, and the least recently put goes first', () => {
    const recent = new RecentDocuments(2.5 * bytesEach)
    for (const id of ['a', 'b', 'a', 'c']) recent.put(document(id))
    expect(['a', 'b', 'c'].filter((id) => recent.get(document(id)) !== undefined)).toEqual(['a', 'c'])
    recent.forget(document('a'))
    expect(recent.heldBytes).toBe(bytesEach)
  })

  it('make room for a large document, and only the newest version counts', () => {
    const recent = new RecentDocuments(9 * bytesEach)
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) recent.put(document(id))
    recent.put(asStored({ ...document('f'), output: 'x'.repeat(6 * bytesEach) }))
    expect(['c', 'd', 'e', 'f'].map((id) => recent.get(document(id)) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ])
    recent.put(document('f'))
    expect(recent.heldBytes).toBe(2 * bytesEach)
  })

  it('stay within their memory limit when documents are large: 10,000 of 19 KB took 273 MB', () => {
    const [budget, text] = [2 ** 20, 'x'.repeat(19_000)]
    const recent = new RecentDocuments(budget)
    for (let count = 0; count < 1_000; count += 1) {
      recent.put(asStored({ ...document(`${count}`), input: text }))
      expect(recent.heldBytes).toBeLessThanOrEqual(budget)
    }
    expect(recent.heldBytes).toBeGreaterThan(budget / 2)
  })

  it('are not kept without room', () => {
    const recent = new RecentDocuments(0)
    recent.put(document('a'))
    expect(recent.get(document('a'))).toBeUndefined()
    expect(recent.heldBytes).toBe(0)
  })

  it('are not replaced by versions that this process has overwritten, even if the feed is late', () => {
    const recent = new RecentDocuments(9_000)
    recent.put(asStored(document('a'), '"1"'))
    recent.putWritten(asStored(document('a'), '"2"'), '"1"')
    recent.putWritten(asStored(document('a'), '"3"'), '"2"')
    for (const etag of ['"1"', '"2"']) recent.put(asStored(document('a'), etag))
    expect(recent.get(document('a'))?._etag).toBe('"3"')
    recent.put(asStored(document('a'), '"4"'))
    expect(recent.get(document('a'))?._etag).toBe('"4"')
  })

  it('are replaced by any version once another process has written in between', () => {
    const recent = new RecentDocuments(9_000)
    recent.putWritten(asStored(document('a'), '"2"'), '"1"')
    recent.putWritten(asStored(document('a'), '"4"'), '"3"')
    recent.put(asStored(document('a'), '"1"'))
    expect(recent.get(document('a'))?._etag).toBe('"1"')
  })

  it('are kept after the end of their job until the feed has delivered their last version', () => {
    const recent = new RecentDocuments(9_000)
    recent.put(asStored(document('a'), '"1"'))
    recent.noteDelivered(asStored(document('a'), '"1"'))
    recent.putWritten(asStored(document('a'), '"2"'), '"1"')
    recent.noteDelivered(asStored(document('a'), '"1"'))
    recent.forgetDelivered(document('a'))
    expect(recent.get(document('a'))?._etag).toBe('"2"')
    recent.noteDelivered(asStored(document('a'), '"2"'))
    recent.forgetDelivered(document('a'))
    expect(recent.heldBytes).toBe(0)
  })
})
