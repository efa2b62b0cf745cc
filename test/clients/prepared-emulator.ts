import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { CosmosClient, type ContainerRequest, type Database } from '@azure/cosmos'
import { articles, articlesContainer, orders, ordersContainer } from './query-data.js'

/** The built command line, relative to the root of the checkout. */
export const commandLine = 'dist/src/cli/main.js'

/** An embedded Cosmos DB in a process of its own, whose containers have three ranges. */
export interface PreparedEmulator {
  readonly endpoint: string
  readonly key: string
  readonly close: () => Promise<void>
}

/** Starts an emulator on a free port and stores what the queries of the matrix read. */
export async function prepareEmulator(): Promise<PreparedEmulator> {
  const child = spawn(
    process.execPath,
    [commandLine, 'emulator', '--port', '0', '--partitions', '3', '--json'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'close')
  const close = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    const { endpoint, key } = await addressOf(child)
    await storeData(new CosmosClient({ endpoint, key }))
    return { endpoint, key, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function addressOf({ stdout }: ChildProcess): Promise<{ endpoint: string; key: string }> {
  if (stdout === null) throw new Error('the emulator has no output')
  for await (const line of createInterface({ input: stdout })) {
    return JSON.parse(line) as { endpoint: string; key: string }
  }
  throw new Error('the emulator ended before it printed its address: run "npm run build"')
}

async function storeData(client: CosmosClient): Promise<void> {
  const { database } = await client.databases.create({ id: 'queries' })
  await fill(database, ordersContainer, orders)
  // Without this container, only the rows about vectors and texts fail.
  await fill(database, articlesContainer, articles).catch((error: unknown) => {
    process.stderr.write(`The container of articles is missing: ${String(error)}\n`)
  })
}

async function fill(database: Database, settings: ContainerRequest, items: readonly object[]): Promise<void> {
  const { container } = await database.containers.create(settings)
  for (const item of items) await container.items.create(item)
}
