/**
 * `npx vitest bench --run test/bench/emulator.bench.ts`: each task's name says how many documents one iteration moves;
 * its hz times that is documents per second. Compare tasks with each other, not machines.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Container, CosmosClient } from '@azure/cosmos'
import { bench, describe } from 'vitest'
import { readChanges, type Container as EngineContainer } from '../../src/emulator/engine/index.js'
import { createInProcessCosmos, startEmulator, type CosmosEngine } from '../../src/emulator/index.js'

const text = 'x'.repeat(800)
const inFlight = 64
const loaded = 100_000

function anEngineContainer(engine: CosmosEngine): EngineContainer {
  engine.createDatabase('shop')
  return engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/pk'] } })
}

let next = 0
function anId(): string {
  next = (next + 1) % 20_000
  return `o${next}`
}

function upsert(container: EngineContainer, id = anId()): void {
  container.execute([id], { kind: 'upsert', document: { id, pk: id, text } })
}

async function sdkContainer(emulator: { client(): CosmosClient }): Promise<Container> {
  const { database } = await emulator.client().databases.create({ id: 'shop' })
  return (await database.containers.create({ id: 'orders', partitionKey: '/pk' })).container
}

const http = await sdkContainer(await startEmulator({ port: 0 }))
const inProcess = await sdkContainer(createInProcessCosmos())
const memory = createInProcessCosmos()
const memoryContainer = anEngineContainer(memory.engine)
const durable = createInProcessCosmos({ dataDirectory: mkdtempSync(join(tmpdir(), 'stepward-bench-')) })
const durableContainer = anEngineContainer(durable.engine)
const restartDirectory = mkdtempSync(join(tmpdir(), 'stepward-bench-'))
const first = createInProcessCosmos({ dataDirectory: restartDirectory })
const firstContainer = anEngineContainer(first.engine)
for (let index = 0; index < loaded; index += 1) upsert(firstContainer, `o${index}`)
await first.close()
for (let index = 0; index < 20_000; index += 1) upsert(memoryContainer, `o${index}`)

const together = (work: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: inFlight }, work))

describe('SDK', () => {
  bench(`upserts over HTTP, ${inFlight} in flight`, async () => {
    await together(() => http.items.upsert({ id: anId(), pk: 'a', text }))
  })
  bench(`reads over HTTP, ${inFlight} in flight`, async () => {
    await together(() => http.item('o1', 'a').read())
  })
  bench(`upserts in process, ${inFlight} in flight`, async () => {
    await together(() => inProcess.items.upsert({ id: anId(), pk: 'a', text }))
  })
})

describe('engine', () => {
  bench('upserts in memory, 1', () => {
    upsert(memoryContainer)
  })
  bench(`durable upserts, ${inFlight} writers`, async () => {
    await together(async () => {
      upsert(durableContainer)
      await durable.engine.settled()
    })
  })
  bench('durable upserts, 1 writer', async () => {
    upsert(durableContainer)
    await durable.engine.settled()
  })
  bench('feed read to its end, 20,000 documents', () => {
    const [partition] = memoryContainer.partitions
    if (partition === undefined) return
    let lsn = 0
    while (lsn < partition.lsn) {
      const page = readChanges(memoryContainer, partition, {
        start: { kind: 'after', lsn },
        maxItemCount: 100,
      })
      for (const version of page.versions) JSON.parse(version.feedText)
      lsn = page.lsn
    }
  })
})

describe('restart', () => {
  bench(
    `with ${loaded} documents`,
    async () => {
      await createInProcessCosmos({ dataDirectory: restartDirectory }).close()
    },
    { iterations: 5, time: 0 },
  )
})
