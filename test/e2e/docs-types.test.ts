import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CheckedProgram } from './checked-program.js'
import { pagePaths, pageText, programsIn, root, tableOf } from './doc-page.js'
import { telemetryPage } from './telemetry-page.js'

/** Declares the names that examples use and readers have of their own. */
const readersOwn = `
import type { Container, Database } from '@azure/cosmos'
import type { JobClient, Workflow } from 'stepward'
import { ChangeFeedEstimator as Estimator, ChangeFeedProcessor as Processor } from 'stepward/change-feed-processor'
declare global {
  interface Order { readonly orderId: string; readonly sku: string; readonly quantity: number; readonly total: number }
  function project(order: Order, signal: AbortSignal): Promise<void>
  const [database, monitoredContainer, leaseContainer]: [Database, Container, Container]
  const [processorName, connectionString]: [string, string]
  const order: Order
  const client: JobClient
  const fulfilment: Workflow<Order>
  const warehouse: {
    hold(input: { sku: string; quantity: number }, key: string): Promise<string>
    drop(key: string | null): Promise<void>
  }
  const bank: {
    charge(input: { amount: number }, key: string): Promise<{ receipt: string }>
    refund(key: string | null): Promise<void>
  }
  const [ChangeFeedEstimator, ChangeFeedProcessor]: [typeof Estimator, typeof Processor]
}`

/** Types that pages describe in tables. */
const described = `
export type { HostOptions, TelemetryEvent } from 'stepward'
export type { FaultMatch, FaultOptions } from 'stepward/emulator'
export type { ConfigFile } from './dist/src/connection/config-file.js'
type ConfigOf = import('./dist/src/connection/config-file.js').ConfigFile
export type ConfigTiming = { [K in keyof NonNullable<ConfigOf['timing']>]: unknown }`

const misspelt = "new ChangeFeedEstimator({ monitoredContainer, leaseContainer, procesorName: 'x' })"
const examples = pagePaths.flatMap((page) =>
  programsIn(page).map((text, index) => ({ name: `${page}, example ${index + 1}`, text })),
)
/** An example without imports continues the examples before it. */
const asModule = (text: string): string => `${text}\nexport {}\n`
const program = new CheckedProgram([
  readersOwn,
  described,
  asModule(misspelt),
  ...examples.map(({ text }) => asModule(text)),
])
const complaints = program.complaints()

/** The first cells of a table, without those that are described elsewhere. */
function names(page: string, head: string, without: readonly string[] = []): string[] {
  return tableOf(page, [head])
    .map(([name = '']) => name)
    .filter((name) => !without.includes(name))
    .toSorted()
}

function propertiesOf(type: string, without: readonly string[] = []): string[] {
  const [properties] = program.members(type)
  return [...(properties?.keys() ?? [])].filter((name) => !without.includes(name)).toSorted()
}

describe('examples in TypeScript', () => {
  it('are rejected when they do not compile', () => {
    const [own, types, ofMisspelt] = complaints
    expect([own, types]).toEqual([[], []])
    expect(ofMisspelt).toEqual([expect.stringContaining("'procesorName' does not exist") as string])
    expect(examples.length).toBeGreaterThan(8)
  })

  it.each(examples.map(({ name }, index) => [name, index] as const))('%s compiles', (_name, index) => {
    expect(complaints[index + 3]).toEqual([])
  })
})

it('the published types compile in programs that check the types of libraries', () => {
  // In this repository, the compiler resolves the package's name to its sources, which have internal members.
  const entries = ['src', 'src/change-feed-processor', 'lease-store', 'src/emulator', 'src/testing']
  const imports = entries.map((entry, index) => `export * as entry${index} from './dist/${entry}/index.js'\n`)
  const user = new CheckedProgram([imports.join('')], { skipLibCheck: false })
  expect(user.complaints()).toEqual([[]])
  expect(user.complaintsOf('dist')).toEqual([])
  expect(user.fileCount('dist')).toBeGreaterThan(200)
})

describe('tables of options and events', () => {
  it('name every property of stepward.config, and no other', () => {
    const timing = propertiesOf('ConfigTiming').map((name) => `timing.${name}`)
    const all = [...propertiesOf('ConfigFile', ['timing']), ...timing].toSorted()
    expect(names('docs/configuration.md', 'name')).toEqual(all)
  })

  it('name every option of a host except those of its connection', () => {
    const connection = ['endpoint', 'key', 'connectionString', 'database', 'container', 'leaseContainer']
    expect(names('docs/configuration.md', 'option')).toEqual(propertiesOf('HostOptions', connection))
  })

  it('name every option of a fault', () => {
    expect(names('docs/faults.md', 'option')).toEqual(propertiesOf('FaultOptions'))
    expect(names('docs/faults.md', 'property of match')).toEqual(propertiesOf('FaultMatch'))
  })

  it('in docs/telemetry.md match the table of events; "vitest -u" on this file rewrites them', async () => {
    const path = 'docs/telemetry.md'
    const page = telemetryPage(pageText(path), program.members('TelemetryEvent'))
    await expect(page).toMatchFileSnapshot(join(root, path))
  })

  it.each([
    ['field of both', 'job', 'both'],
    ['field of a job', 'job', 'alone'],
    ['field of a step', 'step', 'alone'],
    ['field of a notice', 'notify', 'all'],
  ] as const)('name every %s', (head, type, which) => {
    const others = new Set(fieldsOf(type === 'job' ? 'step' : 'job'))
    const fields = fieldsOf(type).filter((name) => which === 'all' || others.has(name) === (which === 'both'))
    expect(names('docs/documents.md', head)).toEqual(fields.toSorted())
  })
})

function fieldsOf(type: string): string[] {
  const schema = JSON.parse(readFileSync(join(root, `docs/schema/sas.${type}.json`), 'utf8')) as {
    readonly properties: Readonly<Record<string, unknown>>
  }
  return Object.keys(schema.properties)
}
