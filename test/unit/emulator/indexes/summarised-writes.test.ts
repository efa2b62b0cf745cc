import { expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../../src/emulator/index.js'
import { KeptSummaries } from '../../../../src/emulator/indexes/summaries/kept-summaries.js'
import { VirtualClock } from '../../../../src/testing/index.js'
import { scratchDirectory } from '../../../support/scratch-directory.js'
import { upsertOf } from '../engine/an-engine.js'

const seconds = 1_000_000

/** The cells of the summary of documents that are written, by the paths of the indexing policy. */
function summarised(paths: readonly string[], written: readonly Record<string, unknown>[]): unknown {
  const clock = new VirtualClock(seconds * 1_000)
  const cosmos = createInProcessCosmos({ clock, dataDirectory: scratchDirectory() })
  cosmos.engine.createDatabase('d')
  const includedPaths = paths.map((path) => ({ path }))
  const indexingPolicy = { includedPaths, excludedPaths: [{ path: '/*' }] }
  const definition = { id: 'c', partitionKey: { paths: ['/pk'] }, indexingPolicy }
  const container = cosmos.engine.createContainer('d', definition)
  const summaries = KeptSummaries.of(container)
  for (const [at, document] of written.entries()) {
    container.execute(['k'], upsertOf(`d${at}`, 'k', document))
    document['type'] = 'changed by the client after the write'
  }
  while (summaries?.hasUnsaved === true) summaries.saveNext()
  return summaries?.chapters().flatMap((chapter) => chapter.blocks(null).flatMap(([, groups]) => groups))
}

it('a summary has the values as they were written', () => {
  const long = 'x'.repeat(65)
  expect(summarised(['/type/?', '/some/?'], [{ type: 'job', some: { a: 1 } }])).toMatchObject([
    { count: 1, cells: [['job', 'job'], null] },
  ])
  expect(summarised(['/type/?', '/some/?'], [{ type: 'job', some: long }, { type: 'job' }])).toMatchObject([
    { count: 2, cells: [['job', 'job'], null] },
  ])
})

it('a summary has the properties of the service as it stores them, whatever the client writes', () => {
  expect(summarised(['/_ts/?'], [{ _ts: 5 }])).toMatchObject([{ count: 1, cells: [[seconds, seconds]] }])
})
