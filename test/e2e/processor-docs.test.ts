import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(join(root, 'docs/change-feed-processor.md'), 'utf8')
const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gmsu)].map((match) => match[1] ?? '')

/** What the reader brings along. */
const readersOwn = `
import type { Container, Database } from '@azure/cosmos'
import { ChangeFeedEstimator as Estimator, ChangeFeedProcessor as Processor } from 'stepward/change-feed-processor'
declare global {
  interface Order { readonly id: string; readonly total: number }
  function project(order: Order, signal: AbortSignal): Promise<void>
  const [database, monitoredContainer, leaseContainer]: [Database, Container, Container]
  const processorName: string
  const [ChangeFeedEstimator, ChangeFeedProcessor]: [typeof Estimator, typeof Processor]
}`

/** What the compiler says about each of these modules, as files of this package. */
function complaints(modules: readonly string[]): string[][] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => readFileSync(path, 'utf8')) as {
    config: object
  }
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const texts = new Map(modules.map((text, index) => [join(root, `example-${index}.ts`), text]))
  const fromDisk = host.getSourceFile.bind(host)
  const readDisk = host.readFile.bind(host)
  const isOnDisk = host.fileExists.bind(host)
  host.fileExists = (path) => texts.has(path) || isOnDisk(path)
  host.readFile = (path) => texts.get(path) ?? readDisk(path)
  host.getSourceFile = (path, language) => {
    const text = texts.get(path)
    return text === undefined ? fromDisk(path, language) : ts.createSourceFile(path, text, language)
  }
  const program = ts.createProgram([...texts.keys()], options, host)
  return [...texts.keys()].map((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  )
}

/** An example that imports nothing goes on from the ones before it. */
const asModule = (block: string): string => `${block}\nexport {}\n`

it('docs/change-feed-processor.md has examples that compile as they stand', () => {
  expect(blocks.length).toBeGreaterThan(2)
  const misspelt = "new ChangeFeedEstimator({ monitoredContainer, leaseContainer, procesorName: 'x' })"
  const [own, ofMisspelt, ...ofBlocks] = complaints([readersOwn, ...[misspelt, ...blocks].map(asModule)])
  expect(own).toEqual([])
  // Or nothing else would be found either.
  expect(ofMisspelt).toEqual([expect.stringContaining("'procesorName' does not exist") as string])
  expect(ofBlocks).toEqual(blocks.map(() => []))
}, 60_000)
