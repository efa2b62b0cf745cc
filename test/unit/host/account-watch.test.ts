import { describe, expect, it } from 'vitest'
import { accountProblem, AccountWatch } from '../../../src/host/account-watch.js'
import type { OpenConnection } from '../../../src/connection/connection.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'

function connectionTo(account: () => object, consistencyLevel?: string) {
  let asked = 0
  const client = {
    clientContext: { cosmosClientOptions: consistencyLevel === undefined ? {} : { consistencyLevel } },
    getDatabaseAccount: async () => {
      asked += 1
      return { resource: account() }
    },
  }
  const connection = { endpoint: 'https://account', client } as unknown as OpenConnection
  return { connection, asked: () => asked }
}

const withDefault = (level: string) => ({ consistencyPolicy: { defaultConsistencyLevel: level } })

describe('an account and its client', () => {
  it.each([
    ['the client reads eventually', withDefault('Session'), 'Eventual', /given client reads .* "Eventual"/],
    [
      'the client reads a consistent prefix',
      {},
      'ConsistentPrefix',
      /"ConsistentPrefix": create it with "Session"/,
    ],
    [
      'the account reads eventually',
      withDefault('Eventual'),
      undefined,
      /account reads .* "Eventual" by default/,
    ],
    [
      'the client asks for more than the account gives',
      withDefault('Eventual'),
      'Session',
      /account reads .* "Eventual" by default/,
    ],
    ['several regions write', { enableMultipleWritableLocations: true }, 'Session', /several regions/],
  ])('are rejected if %s', (_, account, level, problem) => {
    expect(accountProblem(connectionTo(() => account, level).connection, account as never)).toMatch(problem)
  })

  it.each([
    [withDefault('Session'), undefined],
    [withDefault('Strong'), 'BoundedStaleness'],
    [{}, 'Session'],
    [{}, undefined],
  ])('are accepted: %j read with %s', (account, level) => {
    expect(accountProblem(connectionTo(() => account, level).connection, account as never)).toBeNull()
  })
})

it('a running host reports a changed account once, and is healthy when the change is undone', async () => {
  const clock = new VirtualClock()
  const telemetry = new TelemetryRecorder()
  let isMany = false
  const { connection, asked } = connectionTo(() => ({ enableMultipleWritableLocations: isMany }))
  const watch = new AccountWatch(connection, clock, telemetry)
  watch.start()
  await clock.advance(0)
  expect([watch.unhealthyReason(), asked()]).toEqual([null, 1])
  isMany = true
  await clock.advance(600_000)
  expect(watch.unhealthyReason()).toMatch(/several regions/)
  expect(telemetry.of('host.advised')).toHaveLength(1)
  isMany = false
  await clock.advance(300_000)
  expect([watch.unhealthyReason(), asked()]).toEqual([null, 4])
  await watch.stop()
  expect(clock.pendingTimers).toBe(0)
})
