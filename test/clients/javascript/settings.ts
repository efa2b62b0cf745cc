/** Checks of accounts, databases, containers, throughput and errors. */
import { check, containerOf, idsOf, refused, same, unsupported } from './registry.js'

check('connect', async ({ client, connected, database }) => {
  const { resource } = await client.getDatabaseAccount()
  same(resource?.writableLocations.length, 1)
  const { resources } = await client.databases.readAll().fetchAll()
  same(idsOf(resources).includes(database.id), true)
  const stranger = connected(Buffer.from('another key').toString('base64'))
  await refused(401, () => stranger.databases.readAll().fetchAll())
})

check('containers', async (shop) => {
  const { client, database } = shop
  same((await database.read()).resource?.id, database.id)
  const parameters = [{ name: '@id', value: database.id }]
  const named = client.databases.query({ query: 'SELECT * FROM d WHERE d.id = @id', parameters })
  same(idsOf((await named.fetchAll()).resources), [database.id])
  await refused(409, () => client.databases.create({ id: database.id }))
  await refused(404, () => client.database('missing').read())
  const container = await containerOf(shop, { defaultTtl: 30 })
  const { resource } = await container.read()
  same(resource?.defaultTtl, 30)
  same(resource?.partitionKey?.paths, ['/pk'])
  same(resource?.indexingPolicy?.indexingMode, 'consistent')
  same(idsOf((await database.containers.readAll().fetchAll()).resources), ['orders'])
  const found = await database.containers.query({ query: "SELECT * FROM c WHERE c.id = 'orders'" }).fetchAll()
  same(idsOf(found.resources), ['orders'])
  await container.replace({ id: 'orders', partitionKey: { paths: ['/pk'] }, defaultTtl: -1 })
  same((await container.read()).resource?.defaultTtl, -1)
  await refused(409, () => containerOf(shop))
  await container.delete()
  await refused(404, () => container.read())
  await database.delete()
  await refused(404, () => database.read())
})

check('throughput', async (shop) => {
  const container = await containerOf(shop, { throughput: 500 })
  const { resource, offer } = await container.readOffer()
  same(resource?.content?.offerThroughput, 500)
  if (resource === undefined) throw new Error('the container has no offer')
  await offer.replace({ ...resource, content: { ...resource.content, offerThroughput: 900 } } as never)
  same((await container.readOffer()).resource?.content?.offerThroughput, 900)
  const scaled = await containerOf(shop, { id: 'scaled', maxThroughput: 4_000 })
  const autoscale = await scaled.readOffer()
  same(autoscale.resource?.content?.offerAutopilotSettings?.maxThroughput, 4_000)
  const larger = { ...autoscale.resource?.content, offerAutopilotSettings: { maxThroughput: 5_000 } }
  await autoscale.offer.replace({ ...autoscale.resource, content: larger } as never)
  same((await scaled.readOffer()).resource?.content?.offerAutopilotSettings?.maxThroughput, 5_000)
})

check('unique-keys', async (shop) => {
  const container = await containerOf(shop, { uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/email'] }] } })
  await container.items.create({ id: '1', pk: 'a', email: 'x' })
  await refused(409, () => container.items.create({ id: '2', pk: 'a', email: 'x' }))
  await container.items.create({ id: '2', pk: 'b', email: 'x' })
})

check('error-texts', async (shop) => {
  const container = await containerOf(shop)
  await container.items.create({ id: '1', pk: 'a' })
  const conflict = await refused(409, () => container.items.create({ id: '1', pk: 'a' }))
  same((conflict.body as unknown as { code: string }).code, 'Conflict')
  const within = (query: string) => container.items.query(query, { partitionKey: 'a' }).fetchAll()
  const syntax = await refused(400, () => within('SELEC * FROM c'))
  same(syntax.message.includes('Syntax error'), true, syntax.message)
  const unknown = await refused(400, () => within('SELECT VALUE NOSUCH(c.id) FROM c'))
  same(unknown.message.includes('NOSUCH'), true, unknown.message)
})

check('refusals', async (shop) => {
  const { scripts } = await containerOf(shop)
  const body = 'function () {}'
  const refusals = [
    await refused(501, () => scripts.storedProcedures.create({ id: 'x', body })),
    await refused(501, () => scripts.userDefinedFunctions.create({ id: 'x', body })),
    await refused(501, () =>
      scripts.triggers.create({
        id: 'x',
        body,
        triggerType: 'Pre' as never,
        triggerOperation: 'All' as never,
      }),
    ),
  ]
  same(
    refusals.filter(({ message }) => !message.includes('embedded Cosmos DB')),
    [],
  )
})

for (const row of ['processor', 'processor-latest', 'processor-versions', 'estimator']) {
  unsupported(row, 'the client has no change feed processor')
}
