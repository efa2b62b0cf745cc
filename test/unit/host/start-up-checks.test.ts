import { describe, expect, it } from 'vitest'
import type { OpenConnection } from '../../../src/connection/connection.js'
import type { Containers } from '../../../src/connection/containers.js'
import { checkStore } from '../../../src/host/start-up-checks.js'

/** An account whose containers may be written to. */
function accountWith(
  account: object,
  client: object = { getDatabaseAccount: async () => ({ resource: account, headers: {} }) },
  clock: { readonly isSettled: boolean } = { isSettled: true },
) {
  const open = (id: string) => ({
    id,
    item: () => ({ replace: () => Promise.reject(Object.assign(new Error('not there'), { code: 404 })) }),
  })
  const connection = { endpoint: 'https://account', client } as unknown as OpenConnection
  const containers = { state: open('state'), leases: open('leases') } as unknown as Containers
  return checkStore(connection, containers, clock)
}

describe('what is checked before a role runs', () => {
  it('R43, F-X12: an account that writes in several regions is refused, since etags would not protect (I12, I22)', async () => {
    await expect(accountWith({ enableMultipleWritableLocations: true })).rejects.toThrow(
      'turn multi-region writes off',
    )
    await accountWith({ enableMultipleWritableLocations: false })
  })

  it('F-Q12: the store is asked again for its time while answers take too long, but not forever', async () => {
    let asked = 0
    const getDatabaseAccount = async () => ({ resource: {}, headers: { asked: (asked += 1) } })
    const count = async (settledAfter: number): Promise<number> => {
      asked = 0
      await accountWith(
        {},
        { getDatabaseAccount },
        {
          get isSettled() {
            return asked >= settledAfter
          },
        },
      )
      return asked
    }
    expect([await count(0), await count(3), await count(100)]).toEqual([1, 3, 5])
  })
})
