import { systemClock } from 'stepward'
import { ChangeFeedEstimator, ChangeFeedProcessor, type Change } from 'stepward/change-feed-processor'
import { createInProcessCosmos } from 'stepward/emulator'

/** A document that an application writes. The view below is updated from its changes. */
interface Order {
  readonly id: string
  readonly customer: string
  readonly total: number
}

const cosmos = createInProcessCosmos({ partitionCount: 4 })
const client = cosmos.client()
const { database } = await client.databases.create({ id: 'shop' })
const { container: orders } = await database.containers.create({ id: 'orders', partitionKey: '/customer' })
const { container: view } = await database.containers.create({ id: 'customers', partitionKey: '/id' })
const { container: leases } = await database.containers.create({
  id: 'leases',
  partitionKey: '/id',
  defaultTtl: -1,
})

/**
 * Stores the total of an order under the id of the order, so that a repeated change has no further effect.
 */
async function project({ id, customer, total }: Change<Order>): Promise<void> {
  const seen = await view.item(customer, customer).read<{ orders: Record<string, number> }>()
  await view.items.upsert({ id: customer, orders: { ...seen.resource?.orders, [id]: total } })
}

const unit = { monitoredContainer: orders, leaseContainer: leases, processorName: 'customer-view' }
const delivered: Record<string, number> = {}

async function started(instanceName: string): Promise<ChangeFeedProcessor<Order>> {
  let onLeaseAcquired = (): void => undefined
  const hasWork = new Promise<void>((resolve) => (onLeaseAcquired = resolve))
  const processor = new ChangeFeedProcessor<Order>({
    ...unit,
    instanceName,
    startFrom: 'beginning',
    leaseAcquireInterval: 200,
    checkpointInterval: 200,
    onLeaseAcquired: () => onLeaseAcquired(),
    onChanges: async (changes) => {
      for (const change of changes) await project(change)
      delivered[instanceName] = (delivered[instanceName] ?? 0) + changes.length
    },
  })
  await processor.start()
  await hasWork
  return processor
}

const instances = await Promise.all([started('one'), started('two')])
for (let number = 0; number < 400; number += 1) {
  const customer = `customer-${number % 50}`
  await orders.items.create({ id: `order-${number}`, customer, total: number })
}
const estimator = new ChangeFeedEstimator(unit)
while ((await estimator.total()) > 0) await systemClock.sleep(100)
await Promise.all(instances.map((instance) => instance.stop()))

const { resources } = await view.items.query<{ orders: Record<string, number> }>('SELECT * FROM c').fetchAll()
const sums = resources.map((row) => Object.values(row.orders).reduce((sum, total) => sum + total, 0))
process.stdout.write(
  `${JSON.stringify({
    customers: resources.length,
    revenue: sums.reduce((sum, one) => sum + one, 0),
    delivered,
  })}\n`,
)
client.dispose()
await cosmos.close()
