import { describe, expect, it } from 'vitest'
import { RecentDocuments } from '../../../src/sas/recent-documents.js'
import { asStored } from '../../support/a-job.js'

const document = (id: string, pk = 'job-1') => asStored({ pk, id })

describe('recent documents', () => {
  it('are found by partition and id until they are forgotten', () => {
    const recent = new RecentDocuments(9)
    recent.put(document('a'))
    recent.put(document('a', 'job-2'))
    expect(recent.get({ pk: 'job-1', id: 'a' })).toEqual(document('a'))
    recent.forget({ pk: 'job-1', id: 'a' })
    expect(recent.get({ pk: 'job-1', id: 'a' })).toBeUndefined()
    expect(recent.get({ pk: 'job-2', id: 'a' })).toEqual(document('a', 'job-2'))
  })

  it('are the newest version put', () => {
    const recent = new RecentDocuments(9)
    recent.put(document('a'))
    recent.put(asStored(document('a'), '"2"'))
    expect(recent.get(document('a'))?._etag).toBe('"2"')
  })

  it('are as many as there is room for; the least recently put goes first', () => {
    const recent = new RecentDocuments(2)
    for (const id of ['a', 'b', 'a', 'c']) recent.put(document(id))
    expect(['a', 'b', 'c'].filter((id) => recent.get(document(id)) !== undefined)).toEqual(['a', 'c'])
  })

  it('are none without room', () => {
    const recent = new RecentDocuments(0)
    recent.put(document('a'))
    expect(recent.get(document('a'))).toBeUndefined()
  })

  it('are not given back for versions that this process has replaced, however late the feed brings them', () => {
    const recent = new RecentDocuments(9)
    recent.put(asStored(document('a'), '"1"'))
    recent.putWritten(asStored(document('a'), '"2"'), '"1"')
    recent.putWritten(asStored(document('a'), '"3"'), '"2"')
    for (const etag of ['"1"', '"2"']) recent.put(asStored(document('a'), etag))
    expect(recent.get(document('a'))?._etag).toBe('"3"')
    recent.put(asStored(document('a'), '"4"'))
    expect(recent.get(document('a'))?._etag).toBe('"4"')
  })

  it('are taken as they come once another process has written between', () => {
    const recent = new RecentDocuments(9)
    recent.putWritten(asStored(document('a'), '"2"'), '"1"')
    recent.putWritten(asStored(document('a'), '"4"'), '"3"')
    recent.put(asStored(document('a'), '"1"'))
    expect(recent.get(document('a'))?._etag).toBe('"1"')
  })
})
