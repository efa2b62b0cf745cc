import type { ContainerRequest, ContainerDefinition, Database } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, type Door } from './doors.js'

describe.each(doors)('the settings of a container through the SDK, %s', (_name, open) => {
  let door: Door
  let database: Database

  beforeEach(async () => {
    door = await open()
    database = (await door.client().databases.create({ id: 'shop' })).database
  })

  it('get the service’s defaults', async () => {
    const { resource } = await database.containers.create({ id: 'c', partitionKey: '/pk' })
    expect(resource).toMatchObject({
      indexingPolicy: {
        indexingMode: 'consistent',
        automatic: true,
        includedPaths: [{ path: '/*' }],
        excludedPaths: [{ path: '/"_etag"/?' }],
      },
      partitionKey: { paths: ['/pk'], kind: 'Hash' },
      uniqueKeyPolicy: { uniqueKeys: [] },
      conflictResolutionPolicy: { mode: 'LastWriterWins', conflictResolutionPath: '/_ts' },
      geospatialConfig: { type: 'Geography' },
    })
    expect(resource).not.toHaveProperty('defaultTtl')
  })

  it.each([
    [{ excludedPaths: [{ path: '/*' }] }, { excludedPaths: [{ path: '/*' }, { path: '/"_etag"/?' }] }],
    [
      { includedPaths: [{ path: '/*' }], excludedPaths: [{ path: '/"_etag"/?' }] },
      { includedPaths: [{ path: '/*' }], excludedPaths: [{ path: '/"_etag"/?' }] },
    ],
    [{ indexingMode: 'Consistent' }, { indexingMode: 'consistent', includedPaths: [{ path: '/*' }] }],
    [
      { indexingMode: 'none' },
      { indexingMode: 'none', automatic: false, includedPaths: [], excludedPaths: [] },
    ],
    [
      { compositeIndexes: [[{ path: '/a' }, { path: '/b' }]] },
      { compositeIndexes: [[{ path: '/a' }, { path: '/b' }]] },
    ],
  ])('include the computed indexing policy for %j', async (given, computed) => {
    // This is what clients send, which does not always match the SDK’s types.
    const definition: unknown = { id: 'c', partitionKey: '/pk', indexingPolicy: given }
    const { resource } = await database.containers.create(definition as ContainerRequest)
    expect(resource?.indexingPolicy).toMatchObject(computed)
  })

  it('reject an unknown indexing mode', async () => {
    const definition: unknown = { id: 'c', partitionKey: '/pk', indexingPolicy: { indexingMode: 'eager' } }
    await expect(database.containers.create(definition as ContainerRequest)).rejects.toMatchObject({
      code: 400,
    })
  })

  it('change on replace where the service allows it, under a new etag', async () => {
    const { container, resource } = await database.containers.create({
      id: 'c',
      partitionKey: '/pk',
      defaultTtl: 5,
    })
    if (resource === undefined) throw new Error('the container was not shown')
    const { defaultTtl, ...rest } = resource
    expect(defaultTtl).toBe(5)
    const changed: unknown = {
      ...rest,
      indexingPolicy: { ...resource.indexingPolicy, indexingMode: 'none' as const },
      changeFeedPolicy: { retentionDuration: 10 },
    }
    const { resource: after } = await container.replace(changed as ContainerDefinition)
    expect(after).toMatchObject({
      _rid: resource._rid,
      indexingPolicy: { indexingMode: 'none' },
      changeFeedPolicy: { retentionDuration: 10 },
    })
    expect(after).not.toHaveProperty('defaultTtl')
    expect(after?._etag).not.toBe(resource._etag)
    expect((await container.read()).resource).toEqual(after)
  })

  it('reject another partition key or id, and an old etag', async () => {
    const { container, resource } = await database.containers.create({ id: 'c', partitionKey: '/pk' })
    const moved = { id: 'c', partitionKey: { paths: ['/other'] } }
    await expect(container.replace(moved)).rejects.toMatchObject({ code: 400 })
    const renamed = { id: 'd', partitionKey: { paths: ['/pk'] } }
    await expect(container.replace(renamed)).rejects.toMatchObject({ code: 400 })
    const same = { id: 'c', partitionKey: { paths: ['/pk'] } }
    const accessCondition = { type: 'IfMatch', condition: resource?._etag ?? '' }
    await container.replace({ ...same, defaultTtl: 9 }, { accessCondition })
    await expect(container.replace(same, { accessCondition })).rejects.toMatchObject({ code: 412 })
    expect((await container.read()).resource).toMatchObject({
      defaultTtl: 9,
      partitionKey: { paths: ['/pk'] },
    })
  })

  it('appear in queries over databases, containers and offers', async () => {
    const client = door.client()
    await client.databases.create({ id: 'other' })
    await database.containers.create({ id: 'c', partitionKey: '/pk' })
    await database.containers.create({ id: 'd', partitionKey: '/pk', throughput: 700 })
    const named = { query: 'SELECT * FROM r WHERE r.id = @id', parameters: [{ name: '@id', value: 'other' }] }
    const found = await client.databases.query<{ id: string }>(named).fetchAll()
    expect(found.resources.map(({ id }) => id)).toEqual(['other'])
    const containers = await database.containers
      .query({ query: 'SELECT VALUE c.id FROM c ORDER BY c.id DESC' })
      .fetchAll()
    expect(containers.resources).toEqual(['d', 'c'])
    const offers = await client.offers
      .query({ query: 'SELECT VALUE o.content.offerThroughput FROM o WHERE o.content.offerThroughput > 400' })
      .fetchAll()
    expect(offers.resources).toEqual([700])
  })
})
