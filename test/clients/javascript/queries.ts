/** Checks of queries: each as the client sends it by default, and with a plan. */
import type { FeedOptions, SqlQuerySpec } from '@azure/cosmos'
import type { QueryCase } from '../query-cases.js'
import { check, same, type Shop } from './registry.js'

const rows = [
  'filter',
  'order-by',
  'top',
  'offset-limit',
  'distinct',
  'distinct-falsy',
  'group-by',
  'aggregates',
  'composed',
  'join',
  'vector',
  'hybrid',
]

for (const row of rows) {
  check(row, async (shop) => {
    for (const one of shop.queries.filter((query) => query.check === row)) {
      await compare(shop, one, {})
      if (one.key === undefined) await compare(shop, one, { forceQueryPlan: true })
    }
  })
}

async function compare(shop: Shop, one: QueryCase, options: FeedOptions): Promise<void> {
  const settings = one.key === undefined ? options : { ...options, partitionKey: one.key }
  const container = shop.client.database('queries').container(one.container)
  const { resources } = await container.items.query(specOf(one), settings).fetchAll()
  const found = resources.map((row: unknown) => textOf(row))
  const expected = one.rows.map(textOf)
  const what = `${one.query} ${JSON.stringify(settings)}:`
  same(one.isOrdered ? found : found.toSorted(), one.isOrdered ? expected : expected.toSorted(), what)
}

function specOf({ query, parameters }: QueryCase): SqlQuerySpec {
  return { query, parameters: parameters.map(({ name, value }) => ({ name, value: value as string })) }
}

/** Returns a row as text, without the properties of the system and with names in order. */
function textOf(row: unknown): string {
  if (typeof row !== 'object' || row === null) return JSON.stringify(row)
  const own = Object.entries(row).filter(([name]) => !name.startsWith('_'))
  return JSON.stringify(own.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

check('paging', async ({ client, connected, queries }) => {
  const ask = (from: typeof client, query: string, options: FeedOptions) =>
    from.database('queries').container('orders').items.query<string>(query, options)
  const expected = queries.find(({ query }) => query === 'SELECT TOP 1000 VALUE c.id FROM c')?.rows ?? []
  const text = 'SELECT VALUE c.id FROM c'
  const settings = { maxItemCount: 12, enableQueryControl: true }
  const first = await ask(client, text, settings).fetchNext()
  same(first.resources.length > 0 && first.resources.length <= 12, true, 'the size of the first page:')
  const other = connected()
  const continued = ask(other, text, { ...settings, continuationToken: first.continuationToken })
  const rest: string[] = []
  while (continued.hasMoreResults()) {
    const { resources = [] } = (await continued.fetchNext()) as { resources?: string[] }
    rest.push(...resources)
  }
  same([...first.resources, ...rest].toSorted(), expected.toSorted(), 'all pages:')
  const ofKey = ask(client, 'SELECT * FROM c', { partitionKey: 'k0', maxItemCount: 3 })
  const sizes: number[] = []
  while (ofKey.hasMoreResults()) sizes.push((await ofKey.fetchNext()).resources.length)
  same(
    sizes.filter((size) => size > 0),
    [3, 3, 1],
  )
})

check('plan', async ({ client }) => {
  const container = client.database('queries').container('orders')
  const requestsOf = async (where: string, rows: number): Promise<number> => {
    const query = `SELECT * FROM c WHERE ${where} ORDER BY c.n`
    const { resources, diagnostics } = await container.items.query(query, { forceQueryPlan: true }).fetchAll()
    same(resources.length, rows)
    const { gatewayStatistics } = diagnostics.clientSideRequestStatistics
    return gatewayStatistics.filter(({ operationType }) => operationType === ('query' as never)).length
  }
  const ofOneRange = await requestsOf("c.pk = 'k1'", 7)
  same((await requestsOf('c.n < 5', 5)) - ofOneRange, 2, 'requests to the other two ranges:')
})
