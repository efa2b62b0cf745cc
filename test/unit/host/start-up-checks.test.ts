import { describe, expect, it } from 'vitest'
import type { OpenConnection } from '../../../src/connection/connection.js'
import type { Containers } from '../../../src/connection/containers.js'
import { checkStore } from '../../../src/host/start-up-checks.js'

/** Checks an account whose containers may be written to. */
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

describe('the check before a role runs', () => {
  it('rejects several write regions, in which etags do not protect (R43, F-X12, I12, I22)', async () => {
    await expect(accountWith({ enableMultipleWritableLocations: true })).rejects.toThrow(
      'turn multi-region writes off',
    )
    await accountWith({ enableMultipleWritableLocations: false })
  })

  it('asks the store for its time again while answers are slow, but not forever (F-Q12)', async () => {
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
