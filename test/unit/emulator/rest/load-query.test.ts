import { describe, expect, it, vi } from 'vitest'
import type { RestRequest } from '../../../../src/emulator/messages/rest-message.js'

describe('the query code', () => {
  it.each([
    ['{"id":"c","computedProperties":[]}', true],
    ['{"id":"c","computed\\u0050roperties":[]}', true],
    ['{"id":"c"}', false],
  ])('is loaded late for a definition that needs it: %s', async (body, isNeeded) => {
    vi.resetModules()
    const { queryRoomFor } = await import('../../../../src/emulator/rest/routes/load-query.js')
    const request: RestRequest = { method: 'POST', path: '/dbs/d/colls', headers: {}, body, origin: '' }
    const loading = queryRoomFor(request)
    expect(loading !== null).toBe(isNeeded)
    await loading
  })
})
