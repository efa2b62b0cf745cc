import { describe, expect, it } from 'vitest'
import { openAccount } from '../../../../../src/emulator/doors/account.js'
import { MasterKey } from '../../../../../src/emulator/rest/authorization/master-key.js'
import { wellKnownKey } from '../../../../../src/emulator/doors/account-key.js'
import { VirtualClock } from '../../../../../src/platform/index.js'
import { signed } from '../../../../integration/emulator/signed-request.js'

const parts = { method: 'GET', kind: 'dbs', date: 'Sun, 22 Nov 2026 12:00:00 GMT' }

describe('the signature of a request', () => {
  it('is remembered after a valid request, unless its text is long', () => {
    const key = new MasterKey(wellKnownKey)
    for (let index = 0; index < 1_200; index += 1) {
      const link = `dbs/${index}${'x'.repeat(10_000)}`
      expect(key.hasSigned({ ...parts, link }, Buffer.alloc(32))).toBe(false)
      const right = key.signatureOf({ ...parts, link })
      expect(key.hasSigned({ ...parts, link }, right)).toBe(true)
    }
    expect(key.rememberedCharacters).toBe(0)
    for (let index = 0; index < 2_500; index += 1) {
      const link = `dbs/${index}${'x'.repeat(900)}`
      expect(key.hasSigned({ ...parts, link }, key.signatureOf({ ...parts, link }))).toBe(true)
    }
    expect(key.rememberedCharacters).toBeGreaterThan(400_000)
    expect(key.rememberedCharacters).toBeLessThan(1_100_000)
  })

  it('is accepted up to 15 minutes before or after the clients’ time', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 10, 22, 12))
    const account = openAccount({ clock }, wellKnownKey)
    const statusAt = async (minutes: number): Promise<number> => {
      const date = new Date(clock.now() + minutes * 60_000).toUTCString()
      return (await account.respond(signed({ method: 'GET', path: '/dbs', date }, wellKnownKey))).status
    }
    expect(await Promise.all([-14, 0, 14].map(statusAt))).toEqual([200, 200, 200])
    expect(await Promise.all([-16, 16].map(statusAt))).toEqual([403, 403])
    const request = signed({ method: 'GET', path: '/dbs', date: 'yesterday' }, wellKnownKey)
    expect((await account.respond(request)).status).toBe(401)
  })

  it('is checked by the clock of the door, not by the clock of the account', async () => {
    const clock = new VirtualClock(0)
    const signersClock = new VirtualClock(Date.UTC(2026, 10, 22, 12))
    const account = openAccount({ clock }, wellKnownKey, { signersClock })
    const date = new Date(signersClock.now()).toUTCString()
    const request = signed({ method: 'GET', path: '/dbs', date }, wellKnownKey)
    expect((await account.respond(request)).status).toBe(200)
  })
})
