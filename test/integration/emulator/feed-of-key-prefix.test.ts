import {
  ChangeFeedMode,
  ChangeFeedPolicy,
  ChangeFeedRetentionTimeSpan,
  ChangeFeedStartFrom,
  PartitionKeyDefinitionVersion,
  PartitionKeyKind,
  type ChangeFeedIteratorOptions,
  type ChangeFeedPullModelIterator,
  type Container,
} from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, type Door } from './doors.js'

interface Sale {
  readonly id: string
}

type Start = NonNullable<ChangeFeedIteratorOptions['changeFeedStartFrom']>

/** The SDK’s own starting points do not match the type of its options. */
const start = (from: unknown): Start => from as Start

describe.each(doors)('the feed of a prefix of a hierarchical key through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container
  const shops = ['Oslo', '京都', '', '0']

  beforeEach(async () => {
    door = await open({ partitionCount: 3 })
    const { database } = await door.client().databases.create({ id: 'shop' })
    const created = await database.containers.create({
      id: 'sales',
      partitionKey: {
        paths: ['/shop', '/till', '/day'],
        kind: PartitionKeyKind.MultiHash,
        version: PartitionKeyDefinitionVersion.V2,
      },
      changeFeedPolicy: new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(10)),
    })
    container = created.container
  })

  async function sell(): Promise<void> {
    for (const shop of shops) {
      for (const till of [1, 2]) {
        for (const day of ['mon', 'tue']) {
          await container.items.create({ id: `${shop}-${till}-${day}`, shop, till, day })
        }
      }
    }
  }

  async function drained<T>(iterator: ChangeFeedPullModelIterator<T>): Promise<T[]> {
    const changes: T[] = []
    while (true) {
      const page = await iterator.readNext()
      if (page.statusCode === 304) return changes
      changes.push(...page.result)
    }
  }

  it.each(shops)('shows the documents of one shop, %o, page by page', async (shop) => {
    await sell()
    const from = (key: (string | number)[]): ChangeFeedPullModelIterator<Sale> =>
      container.items.getChangeFeedIterator<Sale>({
        maxItemCount: 1,
        changeFeedStartFrom: start(ChangeFeedStartFrom.Beginning(key)),
      })
    const ofShop = from([shop])
    const days = (till: number): string[] => ['mon', 'tue'].map((day) => `${shop}-${till}-${day}`)
    expect((await drained(ofShop)).map(({ id }) => id)).toEqual([...days(1), ...days(2)])
    expect((await drained(from([shop, 2]))).map(({ id }) => id)).toEqual(days(2))
    expect((await drained(from([shop, 2, 'tue']))).map(({ id }) => id)).toEqual([`${shop}-2-tue`])
    await container.items.upsert({ id: `${shop}-1-mon`, shop, till: 1, day: 'mon' })
    await container.items.upsert({ id: 'elsewhere', shop: 'elsewhere', till: 1, day: 'mon' })
    expect((await drained(ofShop)).map(({ id }) => id)).toEqual([`${shop}-1-mon`])
  })

  it('shows every version of one shop’s documents, and the key of a deleted document', async () => {
    const ofShop = container.items.getChangeFeedIterator<{ metadata: Record<string, unknown> }>({
      changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes,
      changeFeedStartFrom: start(ChangeFeedStartFrom.Now(['Oslo'])),
    })
    expect(await drained(ofShop)).toEqual([])
    await sell()
    await container.item('Oslo-1-mon', ['Oslo', 1, 'mon']).delete()
    await container.item('京都-1-mon', ['京都', 1, 'mon']).delete()
    const changes = await drained(ofShop)
    expect(changes).toHaveLength(5)
    expect(changes.at(-1)?.metadata).toMatchObject({
      operationType: 'delete',
      id: 'Oslo-1-mon',
      partitionKey: { shop: 'Oslo', till: 1, day: 'mon' },
    })
  })
})
