import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginConfig } from '@azure/cosmos'
import Table from 'cli-table3'
import { connect } from '../../../src/index.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { readAttention } from '../../../src/operations/index.js'
import { CosmosStateStore } from '../../../src/sas/store/cosmos/cosmos-state-store.js'
import { fill } from './filled.js'
import { prepared } from './questions.js'
import type { RecordedJobs } from './recorded-job.js'

/** The jobs that have not ended. Their number is the same at each size, because all of these questions find them. */
const [waiting, flagged] = [20, 10]

/** What the requests of one question cost. */
interface Charge {
  requests: number
  /** Request units by the model of the embedded store, which knows only the size of answers. */
  units: number
  /** The documents that the service would read, by the metrics of the queries. */
  documents: number
}

type Charges = Readonly<Record<string, Charge>>

/** Fills a store up to each size, and returns a table of what the questions of operators and roles cost there. */
export async function chargeTable(recorded: RecordedJobs, sizes: readonly number[]): Promise<string> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'stepward-growth-'))
  const cosmos = createInProcessCosmos({ dataDirectory })
  try {
    await prepared(cosmos)
    const kind = (number: number) => (number < waiting ? 'waiting' : 'flagged')
    await fill(cosmos.engine, recorded, { from: 0, to: waiting + flagged, kind })
    const columns: Charges[] = []
    let from = waiting + flagged
    for (const size of sizes) {
      const to = size + waiting + flagged
      await fill(cosmos.engine, recorded, { from, to, isShort: true })
      from = to
      columns.push(await chargesOf(cosmos))
    }
    return tableOf(sizes, columns)
  } finally {
    await cosmos.close()
    rmSync(dataDirectory, { recursive: true })
  }
}

/** Asks each question once, and counts its requests. */
async function chargesOf(cosmos: InProcessCosmos): Promise<Charges> {
  const counter = new RequestCounter()
  // The types of the SDK leave out this option.
  const options: object = { plugins: [counter.plugin] }
  const sdk = cosmos.client(options)
  const client = await connect({ client: sdk, provision: false })
  const store = new CosmosStateStore({ container: sdk.database('stepward').container('state') })
  const now = Date.now()
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    'list, the newest 50': () => client.list({ limit: 50 }),
    'list --state Processed': () => client.list({ limit: 50, state: 'Processed' }),
    'list --state Processing': () => client.list({ limit: 50, state: 'Processing' }),
    'list of flagged jobs': () => client.select({ isFlagged: true }).list(),
    attention: () => readAttention(client, { client: sdk }, { filter: {}, now }),
    status: () => Promise.all([client.counts(), client.undelivered(), client.unreadable()]),
    'a sweep of the supervisor': () =>
      store.listOverdue({ afterMs: 0, beforeMs: now + 30_000, pickUpWithinMs: 60_000 }, 1_000),
  }
  const charges: Record<string, Charge> = {}
  // The first requests of a client also read the account and its ranges.
  await client.list({ limit: 1 })
  for (const [name, ask] of Object.entries(questions)) {
    counter.begin()
    await ask()
    charges[name] = counter.charge
  }
  client.close()
  sdk.dispose()
  return charges
}

/** Counts the requests of a client, and asks for the metrics of each query. */
class RequestCounter {
  charge: Charge = { requests: 0, units: 0, documents: 0 }

  begin(): void {
    this.charge = { requests: 0, units: 0, documents: 0 }
  }

  readonly plugin: PluginConfig = {
    on: 'request',
    plugin: async (context, _diagnostics, next) => {
      context.headers = { ...context.headers, 'x-ms-documentdb-populatequerymetrics': 'true' }
      const answer = await next(context)
      const metrics = String(answer.headers['x-ms-documentdb-query-metrics'] ?? '')
      this.charge.requests += 1
      this.charge.units += Number(answer.headers['x-ms-request-charge'] ?? 0)
      this.charge.documents += Number(/retrievedDocumentCount=(\d+)/u.exec(metrics)?.[1] ?? 0)
      return answer
    },
  }
}

function tableOf(sizes: readonly number[], columns: readonly Charges[]): string {
  const head = ['', ...sizes.map((size) => `${size.toLocaleString('en')} ended jobs`)]
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const name of Object.keys(columns[0] ?? {})) {
    const cells = columns.map(({ [name]: charge }) => (charge === undefined ? '' : shownCharge(charge)))
    table.push([name, ...cells])
  }
  return table.toString()
}

function shownCharge({ requests, units, documents }: Charge): string {
  return `${requests} requests, ${units.toFixed(1)} RU, ${documents} documents`
}
