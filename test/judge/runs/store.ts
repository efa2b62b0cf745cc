/**
 * The embedded Cosmos DB of a run, as its own process. Messages tell it which faults to inject and when to
 * split a partition.
 */
import { startEmulator, type FaultOptions } from 'stepward/emulator'
import { names } from './setup.js'

/** A message from the process that started the store. */
export type StoreCommand =
  | { readonly fault: FaultOptions; readonly forMs: number }
  | { readonly clear: true }
  | { readonly split: string }

const emulator = await startEmulator({ port: 0, partitionCount: 1 })
const client = emulator.client()
const { database } = await client.databases.create({ id: names.database })
await Promise.all([
  // Three physical partitions: one for every 10,000 request units per second.
  database.containers.create({ id: names.orders, partitionKey: '/pk', throughput: 30_000 }),
  database.containers.create({ id: names.replies, partitionKey: '/pk' }),
  database.containers.create({ id: names.state, partitionKey: '/pk', defaultTtl: -1 }),
  database.containers.create({ id: names.leases, partitionKey: '/id', defaultTtl: -1 }),
])
process.on('message', (command: StoreCommand) => {
  if ('fault' in command) {
    const fault = emulator.faults.add(command.fault)
    setTimeout(() => emulator.faults.remove(fault), command.forMs)
  } else if ('clear' in command) emulator.faults.clear()
  else {
    const container = { database: names.database, container: command.split }
    emulator.splitPartition(container).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
    })
  }
})
process.send?.({ endpoint: emulator.endpoint, key: emulator.key })
