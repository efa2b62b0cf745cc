import { describe, expect, it } from 'vitest'
import { explorerReach, isReachable } from '../../../../src/emulator/explorer/reach.js'

describe('the reach of the data explorer', () => {
  it.each([
    ['127.0.0.1', undefined, 'loopback'],
    ['127.0.0.1', true, 'loopback'],
    ['::1', undefined, 'loopback'],
    ['localhost', undefined, 'loopback'],
    ['localhost', false, 'none'],
    ['0.0.0.0', undefined, 'none'],
    ['192.168.1.7', undefined, 'none'],
    ['127.0.0.1.example.com', undefined, 'none'],
    ['0.0.0.0', true, 'addresses'],
    ['0.0.0.0', false, 'none'],
  ] as const)('of a server on %s with the option %s is %s', (host, isWanted, reach) => {
    expect(explorerReach(host, isWanted)).toBe(reach)
  })

  it.each(['localhost:8081', 'LOCALHOST', '127.0.0.1:8081', '127.3.2.1', '[::1]:8081', '[::1]'])(
    'always includes %s',
    (host) => {
      expect(isReachable('loopback', host)).toBe(true)
      expect(isReachable('addresses', host)).toBe(true)
    },
  )

  it.each(['192.168.1.7:8081', '[fe80::1]:8081'])('includes the address %s only on request', (host) => {
    expect(isReachable('loopback', host)).toBe(false)
    expect(isReachable('addresses', host)).toBe(true)
  })

  it.each(['', 'example.com:8081', 'localhost.example.com', '127.0.0.1.nip.io:8081', '127.example.com'])(
    'never includes %j, a name that another site can lead to this machine',
    (host) => {
      expect(isReachable('loopback', host)).toBe(false)
      expect(isReachable('addresses', host)).toBe(false)
    },
  )
})
