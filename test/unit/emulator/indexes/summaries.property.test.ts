import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../../src/emulator/index.js'
import { chapterSize, scan, type Container } from '../../../../src/emulator/engine/index.js'
import { KeptSummaries } from '../../../../src/emulator/indexes/summaries/kept-summaries.js'
import { suspects } from '../../../../src/emulator/indexes/suspects.js'
import { VirtualClock, seededRandom } from '../../../../src/testing/index.js'
import { scratchDirectory } from '../../../support/scratch-directory.js'
import { upsertOf } from '../engine/an-engine.js'
import { allRows, documentOf, keyOf, query, repartition, textOf, value, values } from './random-queries.js'

// The documents of a test are few, so several chapters need few blocks each.
const usual = { ...chapterSize }
beforeAll(() => Object.assign(chapterSize, { blocks: 2, mostOpen: 1, few: 1 }))
afterAll(() => Object.assign(chapterSize, usual))

/** Documents of several blocks. */
const count = 1_300

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('query' as const),
      query,
      size: fc.constantFrom(3, 100, 5_000),
      scope: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      id: fc.nat(count + 20),
      few: value,
      many: value,
      ttl: fc.constantFrom(undefined, 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: fc.nat(count) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('time' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('settle' as const, 'save' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('suspects' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rest' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('repartition' as const, 'restart' as const) }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const paths = ['/few/?', '/many/?', '/some/a/?', '/"od d"/?']

/** Returns the value of a rare document, so that blocks have groups of one to a few documents. */
function rare(id: number): unknown {
  return id % 70 === 0 ? values[(id / 70) % values.length] : undefined
}

/** Two containers with the same documents. One is on disk and has summaries, the other one has no indexes. */
class Twins {
  private readonly clock = new VirtualClock(1_000_000_000)
  private readonly directory = scratchDirectory()
  private readonly plain = createInProcessCosmos({ clock: this.clock, partitionCount: 2 })
  private onDisk = this.opened()

  async fill(): Promise<void> {
    for (const [cosmos, indexingPolicy] of [
      [this.plain, { indexingMode: 'none' }],
      [this.onDisk, { includedPaths: paths.map((path) => ({ path })), excludedPaths: [{ path: '/*' }] }],
    ] as const) {
      cosmos.engine.createDatabase('d')
      const partitionKey = { paths: ['/pk'] }
      cosmos.engine.createContainer('d', { id: 'c', partitionKey, defaultTtl: -1, indexingPolicy })
    }
    for (let id = 0; id < count; id += 1)
      this.write(id, rare(id) ?? 'a', values[((id * id) >> 3) % values.length])
    await this.onDisk.engine.settled()
  }

  async apply(one: Step): Promise<void> {
    switch (one.kind) {
      case 'query':
        this.compare(textOf(one.query), one.size, one.scope)
        return
      case 'write':
        this.write(one.id, one.few, one.many, one.ttl)
        return
      case 'delete':
        this.delete(String(one.id), keyOf(one.id))
        return
      case 'time':
        await this.clock.advance(1_000)
        return
      case 'settle':
        await this.onDisk.engine.settled()
        return
      case 'save':
        KeptSummaries.of(this.containers[1])?.saveNext()
        return
      case 'rest':
        await this.rest()
        return
      case 'suspects':
        await this.compareSuspects()
        return
      case 'repartition':
        for (const container of this.containers) repartition(container)
        return
      case 'restart':
        await this.onDisk.close()
        this.onDisk = this.opened()
    }
  }

  /** Writes all summaries, and moves them to the store, so that chapters may leave memory. */
  private async rest(): Promise<void> {
    const summaries = KeptSummaries.of(this.containers[1])
    await summaries?.caughtUp()
    while (summaries?.hasUnsaved === true) summaries.saveNext()
    await this.onDisk.engine.applied()
  }

  async close(): Promise<void> {
    await this.onDisk.close()
    await this.plain.close()
  }

  private opened(): InProcessCosmos {
    const { clock, directory: dataDirectory } = this
    return createInProcessCosmos({
      clock,
      dataDirectory,
      partitionCount: 2,
      memoryBytes: 100_000,
      random: seededRandom(1),
    })
  }

  private get containers(): readonly [Container, Container] {
    return [this.plain.engine.container('d', 'c'), this.onDisk.engine.container('d', 'c')]
  }

  private write(id: number, few: unknown, many: unknown, ttl?: number): void {
    const document = { ...documentOf(id, few, many), ...(ttl === undefined ? {} : { ttl }) }
    for (const container of this.containers)
      container.execute([keyOf(id)], upsertOf(String(id), keyOf(id), document))
  }

  private delete(id: string, key: string): void {
    for (const container of this.containers) {
      if (container.find([key], id) !== undefined) container.execute([key], { kind: 'delete', id })
    }
  }

  /** Checks that the documents with a sign are among the suspects. */
  private async compareSuspects(): Promise<void> {
    const [plain, onDisk] = this.containers
    const found = await suspects(onDisk, [
      { path: ['few'], has: 'a number' },
      { path: ['few'], has: { text: 'z' } },
    ])
    const ids = new Set(Array.from(found ?? [], (part) => part.map(({ id }) => id)).flat())
    const wanted = [...scan(plain)].filter(({ document: { few } }) => typeof few === 'number' || few === 'z')
    expect(wanted.filter(({ id }) => !ids.has(id))).toEqual([])
  }

  private compare(text: string, size: number, scope: number): void {
    const [plain, summarized] = this.containers.map((container) => allRows(container, text, size, scope))
    expect(summarized, text).toEqual(plain)
  }
}

it(
  'a container on disk with summaries gives the same rows as one without indexes',
  { timeout: 60_000 },
  async () => {
    const used = vi.spyOn(KeptSummaries.prototype, 'chapters')
    const twins = new Twins()
    await twins.fill()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
        for (const one of steps) await twins.apply(one)
      }),
      { numRuns: Number(process.env['INDEX_RUNS'] ?? 40), seed: 20_261_125 },
    )
    await twins.close()
    expect(used.mock.calls.length).toBeGreaterThan(10)
  },
)
