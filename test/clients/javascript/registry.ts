/** Registers the checks of `@azure/cosmos`, and runs them. */
import { deepStrictEqual } from 'node:assert/strict'
import process from 'node:process'
import { isDeepStrictEqual } from 'node:util'
import type * as cosmos from '@azure/cosmos'
import type { QueryCase } from '../query-cases.js'

/** The module of the version that is checked. Its types are those of the version in package.json. */
export type Cosmos = typeof cosmos

/** What one check works with: a database of its own, and the containers that the queries read. */
export interface Shop {
  readonly cosmos: Cosmos
  readonly client: cosmos.CosmosClient
  readonly database: cosmos.Database
  readonly connected: (key?: string) => cosmos.CosmosClient
  readonly queries: readonly QueryCase[]
}

type Run = (shop: Shop) => Promise<void>

const runs = new Map<string, Run>()
const missing = new Map<string, string>()

/** Registers the check of a row. */
export function check(name: string, run: Run): void {
  runs.set(name, run)
}

/** Registers a row that the client cannot do. */
export function unsupported(name: string, reason: string): void {
  missing.set(name, reason)
}

/** Runs a check in a database of its own, and prints its outcome as a line of JSON. */
export async function report(name: string, shop: Omit<Shop, 'database'>): Promise<void> {
  const reason = missing.get(name)
  const run = runs.get(name)
  if (reason !== undefined) print({ check: name, outcome: 'unsupported', reason })
  if (run === undefined) return
  try {
    const { database } = await shop.client.databases.create({ id: name })
    await run({ ...shop, database })
    print({ check: name, outcome: 'ok' })
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? String(error.stack) : String(error)}\n`)
    print({
      check: name,
      outcome: 'fails',
      reason: error instanceof Error ? error.message : JSON.stringify(error),
    })
  }
}

export function print(line: Readonly<Record<string, string>>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Creates a container with the key `/pk`, or with other settings. */
export async function containerOf(
  { database }: Shop,
  settings: Partial<cosmos.ContainerRequest> = {},
): Promise<cosmos.Container> {
  const { container } = await database.containers.create({ id: 'orders', partitionKey: '/pk', ...settings })
  return container
}

/** Demands that a call is refused with this status, and returns the error. */
export async function refused(status: number, call: () => Promise<unknown>): Promise<cosmos.ErrorResponse> {
  try {
    await call()
  } catch (error) {
    const found = error as cosmos.ErrorResponse
    deepStrictEqual(found.code, status, `${found.message}: status ${found.code}, expected ${status}`)
    return found
  }
  throw new Error(`a call was answered instead of refused with ${status}`)
}

/** Compares values. Objects may have undefined properties and no prototype. */
export function same(found: unknown, expected: unknown, what = ''): void {
  const [one, other] = [found, expected].map((value): unknown => JSON.parse(JSON.stringify(value ?? null)))
  if (isDeepStrictEqual(one, other)) return
  throw new Error(`${what} found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
}

export function idsOf(items: readonly { readonly id?: string }[]): readonly string[] {
  return items.map(({ id }) => id ?? '').toSorted()
}
