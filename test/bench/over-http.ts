import { CosmosClient, type Container } from '@azure/cosmos'
import { perSecond, type Effort, type Figure, type Programs } from './figure.js'
import { anOrder } from './orders.js'
import { startEmulatorProcess, startServer } from './server-process.js'

const inFlight = 32
const rounds = 6

/**
 * Compares point writes and reads of one client on the emulator and on a server of constant answers. Client
 * and servers have their own processes.
 */
export async function overHttp(
  { cli, constantServer }: Programs,
  { seconds }: Effort,
): Promise<readonly Figure[]> {
  const emulator = await startEmulatorProcess(cli, [])
  const constant = await startServer(constantServer, [emulator.endpoint])
  const pair = [
    await aContainer(emulator.endpoint, emulator.key),
    await aContainer(constant.endpoint, emulator.key),
  ] as const
  const write = await compared(pair, seconds, (container, number) =>
    container.items.upsert(anOrder(number % 5_000)),
  )
  for (const container of pair) await allRead(container)
  const read = await compared(pair, seconds, readOne)
  await emulator.kill()
  await constant.kill()
  const target = { atLeast: 0.8 }
  return [
    { name: 'writes over HTTP ÷ constant answers', value: write.ratio, unit: '×', target },
    { name: 'reads over HTTP ÷ constant answers', value: read.ratio, unit: '×', target },
    { name: 'writes over HTTP', value: write.perSecond, unit: '/s' },
    { name: 'reads over HTTP', value: read.perSecond, unit: '/s' },
  ]
}

const readable = 500

function readOne(container: Container, number: number): Promise<unknown> {
  const order = number % readable
  return container.item(`order-${order}`, `customer-${order}`).read()
}

/** Stores the documents, and lets the constant server learn its answers, before the measurement. */
async function allRead(container: Container): Promise<void> {
  for (let number = 0; number < readable; number += 1) {
    await container.items.upsert(anOrder(number))
    await readOne(container, number)
  }
}

async function aContainer(endpoint: string, key: string): Promise<Container> {
  const connectionPolicy = { enableBackgroundEndpointRefreshing: false }
  const client = new CosmosClient({ endpoint, key, connectionPolicy })
  const { database } = await client.databases.createIfNotExists({ id: 'shop' })
  const { container } = await database.containers.createIfNotExists({
    id: 'orders',
    partitionKey: '/pk',
  })
  await container.items.upsert(anOrder(1))
  return container
}

type Work = (container: Container, number: number) => Promise<unknown>

/**
 * Alternates between the servers, so that other load on the machine affects both. The first round only warms
 * up.
 */
async function compared(
  [ours, constant]: readonly [Container, Container],
  seconds: number,
  work: Work,
): Promise<{ readonly ratio: number; readonly perSecond: number }> {
  let number = 0
  // Each caller sends its next request after an answer, so client and server work at the same time.
  const rate = async (container: Container): Promise<number> => {
    const one = async (): Promise<number> => {
      await work(container, (number += 1))
      return 1
    }
    const rates = await Promise.all(Array.from({ length: inFlight }, () => perSecond(seconds / 2, one)))
    return rates.reduce((total, each) => total + each, 0)
  }
  const sums = { ours: 0, constant: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = [await rate(ours), await rate(constant)]
    if (round === 0) continue
    sums.ours += first
    sums.constant += second
  }
  return { ratio: sums.ours / sums.constant, perSecond: sums.ours / (rounds - 1) }
}
