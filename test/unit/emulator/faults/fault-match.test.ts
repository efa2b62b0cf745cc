import { describe, expect, it } from 'vitest'
import { fits, type FaultMatch, type RequestMatched } from '../../../../src/emulator/faults/fault-match.js'

const request: RequestMatched = {
  operation: 'read',
  database: 'd',
  container: 'c',
  ids: ['a', 'b'],
  partitionKey: ['x', {}],
  request: { method: 'GET', path: '/', headers: {}, body: '', origin: '' },
}

describe('the condition of a fault', () => {
  it.each([
    [{}, true],
    [{ operation: 'read' }, true],
    [{ operation: ['create', 'read'] }, true],
    [{ operation: 'create' }, false],
    [{ container: 'c' }, true],
    [{ container: 'd' }, false],
    [{ id: 'b' }, true],
    [{ id: 'c' }, false],
    [{ partitionKey: ['x', {}] }, true],
    [{ partitionKey: ['x'] }, false],
    [{ partitionKey: null }, false],
    [{ partitionKey: undefined }, true],
    [{ operation: 'read', container: 'c', id: 'a' }, true],
    [{ operation: 'read', container: 'c', id: 'c' }, false],
  ] as readonly (readonly [FaultMatch, boolean])[])('%o matches the request: %s', (match, isFitting) => {
    expect(fits(match, request)).toBe(isFitting)
  })

  it('does not match a request without the property', () => {
    const { partitionKey, container, ...account } = request
    expect(fits({ partitionKey: 'x' }, account)).toBe(false)
    expect(fits({ container: 'c' }, account)).toBe(false)
    expect([partitionKey, container]).not.toContain(undefined)
  })
})
