/** Checks of the change feed, feed ranges and hierarchical keys. */
import type { ChangeFeedIteratorOptions, Container, FeedRange } from '@azure/cosmos'
import { check, containerOf, idsOf, same } from './registry.js'

interface Drained {
  readonly changes: readonly { readonly id: string }[]
  readonly token: string
}

/** Reads the feed from a position until it has no more changes. */
async function drained(
  container: Container,
  start: unknown,
  mode: Pick<ChangeFeedIteratorOptions, 'changeFeedMode'> = {},
): Promise<Drained> {
  // The factories of the client return other classes than its options name.
  const changeFeedStartFrom = start as NonNullable<ChangeFeedIteratorOptions['changeFeedStartFrom']>
  const iterator = container.items.getChangeFeedIterator<{ id: string }>({
    maxItemCount: 7,
    changeFeedStartFrom,
    ...mode,
  })
  const changes: { readonly id: string }[] = []
  while (true) {
    const page = await iterator.readNext()
    if (page.statusCode === 304) return { changes, token: page.continuationToken }
    changes.push(...page.result)
  }
}

async function numbered(container: Container, count: number, keys = count): Promise<void> {
  for (let n = 0; n < count; n += 1) await container.items.create({ id: String(n), pk: n % keys })
}

const numbers = (items: readonly { readonly id: string }[]): readonly number[] =>
  items.map(({ id }) => Number(id)).toSorted((one, other) => one - other)

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n)

check('change-feed', async (shop) => {
  const { ChangeFeedStartFrom } = shop.cosmos
  const container = await containerOf(shop)
  await numbered(container, 50)
  const { changes, token } = await drained(container, ChangeFeedStartFrom.Beginning())
  same(numbers(changes), upTo(50))
  const since = () => drained(container, ChangeFeedStartFrom.Continuation(token))
  same((await since()).changes, [])
  await container.items.upsert({ id: '3', pk: 3, again: true })
  await container.items.create({ id: '50', pk: 50 })
  await container.item('4', 4).delete()
  same(numbers((await since()).changes), [3, 50])
  const now = await drained(container, ChangeFeedStartFrom.Now())
  same(now.changes, [])
  await container.items.create({ id: '51', pk: 51 })
  const later = await drained(container, ChangeFeedStartFrom.Continuation(now.token))
  same(numbers(later.changes), [51])
})

check('feed-ranges', async (shop) => {
  const { ChangeFeedStartFrom } = shop.cosmos
  const container = await containerOf(shop)
  await numbered(container, 40, 11)
  const ranges = await container.getFeedRanges()
  same(ranges.length, 3)
  const changesOf = async (range: FeedRange) =>
    (await drained(container, ChangeFeedStartFrom.Beginning(range))).changes
  same(numbers((await Promise.all(ranges.map(changesOf))).flat()), upTo(40))
  const ofKey = await drained(container, ChangeFeedStartFrom.Beginning(1))
  same(numbers(ofKey.changes), [1, 12, 23, 34])
})

check('all-versions', async (shop) => {
  const { ChangeFeedMode, ChangeFeedPolicy, ChangeFeedRetentionTimeSpan, ChangeFeedStartFrom } = shop.cosmos
  const changeFeedPolicy = new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(10))
  const container = await containerOf(shop, { changeFeedPolicy })
  const mode = { changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes }
  const { token } = await drained(container, ChangeFeedStartFrom.Now(), mode)
  await container.items.create({ id: '1', pk: 'a', n: 1 })
  await container.items.upsert({ id: '1', pk: 'a', n: 2 })
  await container.item('1', 'a').delete()
  const { changes } = await drained(container, ChangeFeedStartFrom.Continuation(token), mode)
  const found = changes as unknown as readonly {
    readonly metadata: { readonly operationType: string }
    readonly current?: { readonly n?: number }
    readonly previous?: { readonly n?: number }
  }[]
  same(
    found.map(({ metadata }) => metadata.operationType),
    ['create', 'replace', 'delete'],
  )
  same(
    found.map(({ current }) => current?.n),
    [1, 2, null],
  )
  same(
    found.map(({ previous }) => previous?.n),
    [null, 1, 2],
  )
})

check('hierarchical-keys', async (shop) => {
  const { PartitionKeyDefinitionVersion, PartitionKeyKind } = shop.cosmos
  const partitionKey = {
    paths: ['/tenant', '/user', '/session'],
    kind: PartitionKeyKind.MultiHash,
    version: PartitionKeyDefinitionVersion.V2,
  }
  const container = await containerOf(shop, { partitionKey })
  for (const tenant of 'ab') {
    for (const user of 'xyz') {
      for (let session = 0; session < 4; session += 1) {
        await container.items.create({ id: `${tenant}${user}${session}`, tenant, user, session })
      }
    }
  }
  same((await container.item('ax1', ['a', 'x', 1]).read<{ id: string }>()).resource?.id, 'ax1')
  same((await container.item('ax1', ['a', 'x', 2]).read()).statusCode, 404)
  const ofPrefix = (key: string[], query = 'SELECT * FROM c') =>
    container.items.query<{ id: string }>(query, { partitionKey: key }).fetchAll()
  const names = ['ax0', 'ax1', 'ax2', 'ax3']
  same(idsOf((await ofPrefix(['a', 'x'])).resources), names)
  same((await ofPrefix(['b'])).resources.length, 12)
  same((await ofPrefix(['b'], 'SELECT * FROM c WHERE c.session = 2')).resources.length, 3)
  const { ChangeFeedStartFrom } = shop.cosmos
  const { changes } = await drained(container, ChangeFeedStartFrom.Beginning(['a', 'x']))
  same(idsOf(changes), names)
  await container.item('ax1', ['a', 'x', 1]).delete()
  same((await ofPrefix(['a', 'x'])).resources.length, 3)
})
