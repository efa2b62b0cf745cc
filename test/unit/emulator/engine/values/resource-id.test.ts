import { describe, expect, it } from 'vitest'
import {
  databaseRidOf,
  documentNumber,
  documentRid,
} from '../../../../../src/emulator/engine/values/resource-id.js'

describe('the rid of a document', () => {
  it('has its number with the lowest byte first, as rids that the service gave have', () => {
    expect(documentRid('TughAL-sYbE=', 2)).toBe('TughAL-sYbECAAAAAAAAAA==')
    expect(documentRid('36ZyAPW+uN8=', 13)).toBe('36ZyAPW+uN8NAAAAAAAAAA==')
  })

  it('belongs to the database of its container, whichever container had a document before', () => {
    expect(['TughAL-sYbE=', '36ZyAPW+uN8=', 'TughAL-sYbE='].map(databaseRidOf)).toEqual([
      'TughAA==',
      '36ZyAA==',
      'TughAA==',
    ])
  })

  it.each([1, 256, 2 ** 40])('gives its number %i back to its container only', (number) => {
    const rid = documentRid('TughAL-sYbE=', number)
    expect(documentNumber('TughAL-sYbE=', rid)).toBe(number)
    expect(documentNumber('36ZyAPW+uN8=', rid)).toBeNull()
  })
})
