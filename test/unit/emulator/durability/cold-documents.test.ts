import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../../src/emulator/index.js'
import {
  parsePatchSteps,
  readAllVersions,
  readChanges,
  Refusal,
  resolveStart,
  scan,
  type Container,
  type ItemOperation,
} from '../../../../src/emulator/engine/index.js'
import { DocumentTemplates } from '../../../../src/emulator/durability/document-templates.js'
import { documentKey, idKey } from '../../../../src/emulator/durability/journal-entries.js'
import { sealed } from '../../../../src/emulator/durability/record-checksum.js'
import { StoredDocuments } from '../../../../src/emulator/durability/stored-documents.js'
import { ColdDocuments } from '../../../../src/emulator/engine/cold/cold-documents.js'
import { documentRid } from '../../../../src/emulator/engine/values/resource-id.js'
import { VirtualClock, seededRandom } from '../../../../src/testing/index.js'
import { scratchDirectory } from '../../../support/scratch-directory.js'

/** One step of a story. Numbers choose documents, keys and partitions from those that exist. */
type Step =
  | {
      readonly kind: 'upsert' | 'delete' | 'read'
      readonly key: number
      readonly id: number
      readonly ttl: number
    }
  | { readonly kind: 'patch'; readonly key: number; readonly id: number }
  | { readonly kind: 'split' | 'merge'; readonly place: number }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'look' | 'settle' | 'restart' | 'query' | 'redefine' }

const key = fc.nat(2)
const id = fc.nat(3)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('upsert' as const),
      key,
      id,
      ttl: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), key, id, ttl: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), key, id, ttl: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('patch' as const), key, id }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('split' as const, 'merge' as const), place: fc.nat(3) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'look' as const,
        'settle' as const,
        'settle' as const,
        'restart' as const,
        'query' as const,
        'redefine' as const,
      ),
    }),
  },
)

/** An account that steps are applied to. What it answers is compared with what another one answers. */
class Account {
  private readonly clock = new VirtualClock(Date.UTC(2026, 0, 1), 0)
  private readonly random = seededRandom(7)
  private cosmos: InProcessCosmos
  private written = 0

  constructor(private readonly dataDirectory: string | null) {
    this.cosmos = this.opened()
    this.cosmos.engine.createDatabase('db')
    this.cosmos.engine.createContainer('db', {
      id: 'c',
      partitionKey: { paths: ['/pk'] },
      defaultTtl: -1,
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/unique'] }] },
    })
  }

  get container(): Container {
    return this.cosmos.engine.container('db', 'c')
  }

  async apply(step: Step): Promise<unknown> {
    const { container } = this
    switch (step.kind) {
      case 'upsert':
      case 'delete':
      case 'read':
      case 'patch':
        return this.executed(container, step)
      case 'split':
        return this.attempt(() => {
          const { length } = container.partitions
          return container
            .splitPartition(container.partitions[step.place % length]?.id ?? '')
            .map(({ id }) => id)
        })
      case 'merge':
        return this.attempt(() => {
          const at = step.place % container.partitions.length
          const [one, other] = container.partitions.slice(at, at + 2)
          return container.mergePartitions([one?.id ?? '', other?.id ?? '']).id
        })
      case 'wait':
        await this.clock.advance(step.seconds * 1_000)
        return null
      case 'look':
        return this.everything()
      case 'settle':
        await this.cosmos.engine.settled()
        return null
      case 'query':
        return this.query()
      case 'redefine':
        return this.redefined(container)
      case 'restart':
        if (this.dataDirectory === null) return null
        await this.cosmos.close()
        this.cosmos = this.opened()
        return null
    }
  }

  everything(): unknown {
    const { container } = this
    const start = { kind: 'after', lsn: 0 } as const
    return {
      documents: [...scan(container)].map((version) => [version.toJSON(), version.seen, version.feedText]),
      feeds: container.partitions.map((partition) =>
        readChanges(container, partition, { start, maxItemCount: 100 }).versions.map(({ text }) => text),
      ),
      keys: ['k0', 'k1', 'k2'].map((pk) => this.ofKey(pk)),
      second: container.partitions.map((partition) =>
        resolveStart(partition, { kind: 'time', atMs: this.clock.now() - 2_000 }),
      ),
      held: [container.documentCount, container.documentBytes],
      history: container.partitions.map((partition) =>
        this.attempt(() =>
          inAnyOrder(readAllVersions(container, partition, { start, maxItemCount: 100 }).texts),
        ),
      ),
    }
  }

  /** Returns what can be known of one partition key. */
  private ofKey(pk: string): unknown {
    const { container } = this
    const { keyText, epk, partition } = container.locate([pk])
    const request = { start: { kind: 'beginning' }, keyText, epk, maxItemCount: 100 } as const
    return {
      documents: [...scan(container, { kind: 'key', partition, keyText })].map((version) => [
        version.id,
        container.idOf(documentRid(container.rid, version.number)),
        container.numbered(version.number)?.etag,
      ]),
      feed: readChanges(container, partition, request).versions.map(({ text }) => text),
    }
  }

  close(): Promise<void> {
    return this.cosmos.close()
  }

  private executed(
    container: Container,
    step: Step & { readonly key: number; readonly id: number },
  ): unknown {
    this.written += 1
    const [pk, id] = [`k${step.key}`, `d${step.id}`]
    const operations: Readonly<Record<string, () => ItemOperation>> = {
      upsert: () => ({
        kind: 'upsert',
        document: {
          ...{ id, pk, written: this.written, unique: this.written % 5, note: 'ü€'.repeat(step.key * 40) },
          ...('ttl' in step && step.ttl < 3 ? { ttl: step.ttl } : {}),
        },
      }),
      delete: () => ({ kind: 'delete', id }),
      read: () => ({ kind: 'read', id }),
      patch: () => ({
        kind: 'patch',
        id,
        patch: {
          steps: parsePatchSteps(
            [{ op: 'incr', path: '/written', value: 1 }],
            container.definition.partitionKey.paths,
          ),
        },
      }),
    }
    return this.attempt(() => {
      const operation = operations[step.kind]?.()
      if (operation === undefined) throw new RangeError(step.kind)
      const { status, version, charge } = container.execute([pk], operation)
      return { status, charge, text: version?.text, etag: version?.etag }
    })
  }

  private async query(): Promise<unknown> {
    const { items } = this.cosmos.client().database('db').container('c')
    const { resources } = await items
      .query('SELECT * FROM c WHERE c.written > 2 ORDER BY c.written')
      .fetchAll()
    return resources
  }

  /** Begins or ends the history of all versions. */
  private redefined(container: Container): unknown {
    const { changeFeedPolicy, ...body } = container.definition.body
    const policy = { changeFeedPolicy: { retentionDuration: 5 } }
    const client = this.cosmos.client().database('db').container('c')
    return client
      .replace({ ...body, ...(changeFeedPolicy === undefined ? policy : {}) })
      .then(({ statusCode }) => statusCode)
  }

  private attempt<T>(work: () => T): T | string {
    try {
      return work()
    } catch (error) {
      if (error instanceof Refusal) return error.message
      throw error
    }
  }

  private opened(): InProcessCosmos {
    const { clock, random, dataDirectory } = this
    return createInProcessCosmos({
      clock,
      random,
      ...(dataDirectory === null ? {} : { dataDirectory, memoryBytes: 0 }),
    })
  }
}

/** Documents whose time is over may be dropped in any order, so these changes have their LSNs in any order. */
function inAnyOrder(texts: readonly string[]): readonly string[] {
  return texts
    .map((text) => (text.includes('"timeToLiveExpired":true') ? text.replace(/"lsn":\d+,/u, '') : text))
    .sort()
}

describe('an account that keeps no document in memory', () => {
  it('answers as an account that keeps all documents', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const [cold, warm] = [new Account(scratchDirectory()), new Account(null)]
        for (const one of [...steps, { kind: 'restart' }, { kind: 'look' }] as const) {
          const [found, expected] = [await cold.apply(one), await warm.apply(one)]
          expect(found, JSON.stringify(one)).toEqual(expected)
        }
        await cold.close()
        await warm.close()
      }),
      { numRuns: 12 },
    )
  })
})

describe('StoredDocuments', () => {
  const rid = 'Oq-uV7qv7lg='
  const text = '{"id":"d","pk":"k","value":2}'
  const line = JSON.stringify([7, 0, 'd', '["k"]', '05C1', 0, 9, null, text.length])
  const key = documentKey(rid, 1)
  const record = sealed(key, `w${line}\n${text}`)

  function documentsIn(records: Readonly<Record<string, string>>): StoredDocuments {
    const store = {
      getBinaryFast: (name: string) => {
        const value = records[name]
        return value === undefined ? undefined : Buffer.from(value)
      },
      getKeys: () => {
        throw new RangeError('no key is looked for')
      },
    }
    return new StoredDocuments(store, new DocumentTemplates())
  }

  it('reads a document, and knows none that is not there', () => {
    const documents = documentsIn({ [key]: record })
    const found = { id: 'd', keyText: '["k"]', lsn: 7, number: 1, json: text, isWhole: true }
    expect(documents.read(rid, 1)).toMatchObject(found)
    expect(documents.read(rid, 2)).toBeUndefined()
    expect(documents.numbersOf(rid, '["k"]', 'd')).toEqual([])
  })

  it('names a record that is altered, or of another key', () => {
    const named = new RegExp(`The record ${key} of the data directory`, 'u')
    for (const wrong of [
      record.replace('"value":2', '"value":3'),
      sealed(documentKey(rid, 2), `w${line}\n${text}`),
      // The record names a template that does not exist.
      sealed(key, `s${line}\n0\n`),
    ]) {
      expect(() => documentsIn({ [key]: wrong }).read(rid, 1)).toThrow(named)
    }
    expect(documentsIn({}).missing(rid, 1).message).toMatch(named)
  })

  it('refuses to find a document whose record is missing, instead of finding none', () => {
    const list = idKey(rid, '["k"]', 'd')
    const lists = { [list]: sealed(list, ',1:') }
    const cold = new ColdDocuments(rid, documentsIn(lists))
    cold.belongTo({ rid, memory: null, evict: () => undefined, admitted: () => undefined })
    expect(() => cold.find('["k"]', 'd')).toThrow('is not the one that was written')
    const whole = new ColdDocuments(rid, documentsIn({ ...lists, [key]: record }))
    whole.belongTo({ rid, memory: null, evict: () => undefined, admitted: () => undefined })
    expect(whole.find('["k"]', 'd')?.text).toBe(text)
    whole.remove(1)
    expect(whole.find('["k"]', 'd')).toBeUndefined()
    whole.removalStored(1)
    expect(whole.find('["k"]', 'd')?.text).toBe(text)
  })
})
