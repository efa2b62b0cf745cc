/**
 * `npm run clients` runs the same checks with each official client of Cosmos DB on the embedded Cosmos DB,
 * and prints a table of clients and checks. `-- --only go` selects clients, and `--check paging` selects
 * checks. `--json` prints JSON. `--docs` writes the table into `docs/embedded-cosmos.md` if every failure is
 * explained. Exits with 1 if a check fails and `excuses.ts` does not explain the failure.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { checks } from './checks.js'
import { clients, type Client } from './clients.js'
import { writeSection } from './docs-section.js'
import { excuses } from './excuses.js'
import { install, missingTools } from './installation.js'
import { surprises, type Column } from './matrix.js'
import { commandLine, prepareEmulator } from './prepared-emulator.js'
import { queryCases } from './query-cases.js'
import { reportIn, reportOfFailure, type Report } from './reported.js'
import { markdownTable, terminalTable } from './tables.js'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    check: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
})
/** The time after which a client is stopped. It is longer than any client needs. */
const limitMs = 300_000
const folder = resolve('.stepward', 'clients')

function chosenOf<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[],
): readonly T[] {
  const unknown = names.find((name) => !all.some((one) => one.name === name))
  if (unknown !== undefined) {
    throw new RangeError(`There is no "${unknown}". There are: ${all.map(({ name }) => name).join(', ')}`)
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
}

const chosenChecks = chosenOf(checks, values.check).map(({ name }) => name)

async function columnOf(client: Client): Promise<Column> {
  const missing = missingTools(client)
  if (missing.length > 0)
    return { client, report: null, absence: `not run, because ${missing.join(', ')} is missing` }
  const place = join(folder, client.folder)
  process.stderr.write(`${client.name} …\n`)
  const failure = install(client, place)
  const report = failure === null ? await reportOf(client, place) : reportOfFailure(failure, chosenChecks)
  return { client, report, absence: '' }
}

/** Runs the program of a client on an emulator of its own. Its other output goes to a log file. */
async function reportOf(client: Client, place: string): Promise<Report> {
  const emulator = await prepareEmulator()
  try {
    const assignment = join(folder, `${client.name}.json`)
    mkdirSync(folder, { recursive: true })
    const { endpoint, key } = emulator
    const stepward = [process.execPath, resolve(commandLine)]
    const queries = queryCases.filter(({ check }) => chosenChecks.includes(check))
    writeFileSync(assignment, JSON.stringify({ endpoint, key, stepward, checks: chosenChecks, queries }))
    const [program, ...rest] = client.run(place)
    const running = spawn(program, [...rest, assignment], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
    })
    running.stderr.pipe(createWriteStream(join(folder, `${client.name}.log`)))
    const [output] = await Promise.all([text(running.stdout), once(running, 'close')])
    return reportIn(output, chosenChecks)
  } finally {
    await emulator.close()
  }
}

const chosen = chosenOf(clients, values.only)
const isWhole = chosen.length === clients.length && chosenChecks.length === checks.length
if (values.docs && !isWhole) throw new RangeError('--docs needs every client and every check')
const columns: Column[] = []
// One after another, because a check that waits for time must not wait for the other clients.
for (const client of chosen) columns.push(await columnOf(client))

if (values.json) {
  const rows = columns.map(({ client, report, absence }) => ({
    client: client.name,
    version: report?.version,
    runtime: report?.runtime,
    absence,
    checks: Object.fromEntries(report?.outcomes ?? []),
  }))
  process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
} else {
  process.stdout.write(`${terminalTable(columns, excuses)}\n`)
}
const unexplained = surprises(columns, excuses)
if (values.docs && unexplained.length === 0) {
  writeSection(markdownTable(columns, excuses, new Date().toISOString().slice(0, 10)))
}
for (const line of unexplained) process.stderr.write(`UNEXPLAINED ${line}\n`)
process.exitCode = unexplained.length === 0 ? 0 : 1
