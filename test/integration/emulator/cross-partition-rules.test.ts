import { beforeEach, describe, expect, it } from 'vitest'
import { openAccount, type Account } from '../../../src/emulator/doors/account.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { signed } from './signed-request.js'

const isCross = { 'x-ms-documentdb-query-enablecrosspartition': 'True' }

describe.each([1, 3])('the gateway of a container with %i range(s)', (partitionCount) => {
  let account: Account

  beforeEach(() => {
    account = openAccount({ partitionCount }, wellKnownKey)
    account.engine.createDatabase('shop')
    const definition = { id: 'orders', partitionKey: { paths: ['/pk'] } }
    const container = account.engine.createContainer('shop', definition)
    for (const id of ['a', 'b', 'c']) container.execute([id], { kind: 'create', document: { id, pk: id } })
  })

  async function ask(text: string, headers: Readonly<Record<string, string>>): Promise<unknown[]> {
    const answer = await account.respond(
      signed(
        {
          method: 'POST',
          path: '/dbs/shop/colls/orders/docs',
          headers: { 'x-ms-documentdb-isquery': 'True', ...headers },
          body: JSON.stringify({ query: text }),
        },
        wellKnownKey,
      ),
    )
    return [answer.status, answer.headers['x-ms-substatus'], JSON.parse(answer.body) as unknown]
  }

  const refusal = (words: string): object => ({
    code: 'BadRequest',
    message: expect.stringContaining(words) as string,
  })
  const plan = expect.stringContaining('"partitionedQueryExecutionInfoVersion":2') as string

  it.each([
    'SELECT TOP 1 * FROM c',
    'SELECT * FROM c ORDER BY c.id',
    'SELECT * FROM c OFFSET 0 LIMIT 1',
    'SELECT DISTINCT c.id FROM c',
    'SELECT VALUE COUNT(1) FROM c',
    'SELECT c.id FROM c GROUP BY c.id',
  ])('refuses with 400/1004 and the plan: %s', async (text) => {
    const refused = [400, '1004', { ...refusal('can not be directly served'), additionalErrorInfo: plan }]
    expect(await ask(text, isCross)).toEqual(refused)
    expect((await ask(text, { 'x-ms-documentdb-partitionkeyrangeid': '0' }))[0]).toBe(200)
    expect((await ask(text, { 'x-ms-documentdb-partitionkey': '["a"]' }))[0]).toBe(200)
  })

  it.each(['SELECT COUNT(1) FROM c', 'SELECT c.id, COUNT(1) FROM c GROUP BY c.id'])(
    'refuses an aggregate without VALUE, without a plan: %s',
    async (text) => {
      const refused = [400, '0', refusal("Cross partition query only supports 'VALUE <AggregateFunc>'")]
      expect(await ask(text, isCross)).toEqual(refused)
    },
  )

  it('refuses a query over all keys without the header for it', async () => {
    const refused = {
      ...refusal('Cross partition query is required but disabled.'),
      additionalErrorInfo: plan,
    }
    expect(await ask('SELECT * FROM c', {})).toEqual([400, '0', refused])
    expect(await ask('SELECT * FROM c', isCross)).toMatchObject([200, undefined, { _count: 3 }])
    const isParallel = { ...isCross, 'x-ms-documentdb-query-parallelizecrosspartitionquery': 'True' }
    expect((await ask('SELECT * FROM c', isParallel)).slice(0, 2)).toEqual([400, '1004'])
  })

  it('answers a query whose filter names one key without any header', async () => {
    for (const text of [
      'SELECT TOP 1 * FROM c WHERE c.pk = "a"',
      'SELECT VALUE COUNT(1) FROM c WHERE c.pk = "a"',
    ]) {
      expect(await ask(text, {})).toMatchObject([200, undefined, { _count: 1 }])
    }
    const refused = await ask('SELECT DISTINCT c.id FROM c WHERE c.pk = "a"', {})
    expect(refused.slice(0, 2)).toEqual([400, '1004'])
  })

  it('refuses a plan to a client that names no features', async () => {
    const [status, , body] = await ask('SELECT TOP 1 * FROM c', {
      'x-ms-cosmos-is-query-plan-request': 'True',
    })
    expect([status, body]).toEqual([400, refusal('Query contains 1 or more unsupported features')])
  })

  it.each(['TOP 2147483648 * FROM c', '* FROM c OFFSET 2147483648 LIMIT 1', '* FROM c OFFSET 0 LIMIT 1e10'])(
    'refuses to count 2³¹ rows or more: SELECT %s',
    async (text) => {
      expect((await ask(`SELECT ${text}`, { 'x-ms-documentdb-partitionkey': '["a"]' }))[0]).toBe(400)
    },
  )

  it('refuses a continuation that it did not give', async () => {
    const wrong = { ...isCross, 'x-ms-continuation': 'nonsense' }
    expect(await ask('SELECT * FROM c', wrong)).toEqual([400, '0', refusal('Invalid Continuation Token')])
  })

  it('lets the JavaScript client merge rows by the plan, but not continue an ORDER BY by a token', async () => {
    const cosmos = createInProcessCosmos({ partitionCount })
    const { database } = await cosmos.client().databases.create({ id: 'shop' })
    const { container } = await database.containers.create({ id: 'orders', partitionKey: '/pk' })
    for (const id of ['b', 'a', 'c']) await container.items.create({ id, pk: id })
    const ordered = 'SELECT VALUE c.id FROM c ORDER BY c.id'
    expect((await container.items.query(ordered).fetchAll()).resources).toEqual(['a', 'b', 'c'])
    const counted = 'SELECT COUNT(1) AS n FROM c'
    expect((await container.items.query(counted).fetchAll()).resources).toEqual([{ n: 3 }])
    const resumed = container.items.query(ordered, { continuationToken: '{"from":1}' }).fetchAll()
    await expect(resumed).rejects.toThrow(/continuation token/iu)
    await cosmos.close()
  })
})
