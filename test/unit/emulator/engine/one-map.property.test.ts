import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  deleteKey,
  readChanges,
  Refusal,
  type Container,
  type ItemOperation,
  type JsonObject,
} from '../../../../src/emulator/engine/index.js'
import { aContainer, anEngine } from './an-engine.js'

/** What the model knows of a document: its own properties, and the engine’s last etag. */
interface Known {
  readonly own: JsonObject
  readonly etag: string
  readonly ttl: number | undefined
  readonly writtenAt: number
}

/** All documents of the container in one map, by key and id. */
type Model = ReadonlyMap<string, Known>

const ids = fc.constantFrom('a', 'b', 'c', 'd')
const keys = fc.constantFrom('k1', 'k2', 'k3')
/** The etag that a precondition names. */
const conditions = fc.constantFrom('none', 'none', 'none', 'own', 'stale', 'any', 'unlessAny' as const)

const operation = fc.record({
  kind: fc.constantFrom('create', 'upsert', 'replace', 'delete', 'patch', 'read' as const),
  id: ids,
  mail: fc.constantFrom('m1', 'm2', 'm3', null, undefined),
  ttl: fc.constantFrom(undefined, undefined, 2, -1),
  condition: conditions,
})

type Step = typeof operation extends fc.Arbitrary<infer T> ? T : never

const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('one' as const), pk: keys, step: operation }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      pk: keys,
      steps: fc.array(operation, { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteKey' as const), pk: keys }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('split' as const), at: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 3 }) }),
  },
)

const nameOf = (pk: string, id: string): string => `${pk}/${id}`

function documentOf({ id, mail, ttl }: Step, pk: string): JsonObject {
  return { id, pk, ...(mail === undefined ? {} : { mail }), ...(ttl === undefined ? {} : { ttl }) }
}

/** Returns the precondition with the etag of the stored document. */
function conditionOf(
  { condition }: Step,
  before: Known | undefined,
): { ifMatch?: string; ifNoneMatch?: string } {
  switch (condition) {
    case 'own':
      return { ifMatch: before?.etag ?? '"none"' }
    case 'stale':
      return { ifMatch: '"stale"' }
    case 'any':
      return { ifMatch: '*' }
    case 'unlessAny':
      return { ifNoneMatch: '*' }
    case 'none':
      return {}
  }
}

function operationOf(step: Step, pk: string, before: Known | undefined): ItemOperation {
  const given = conditionOf(step, before)
  const { kind, id } = step
  if (kind === 'create' || kind === 'upsert') return { kind, document: documentOf(step, pk), ...given }
  if (kind === 'replace') return { kind, id, document: documentOf(step, pk), ...given }
  if (kind !== 'patch') return { kind, id, ...given }
  const steps = [{ kind: 'set', path: ['mail'], from: [], value: step.mail ?? null } as const]
  return { kind, id, patch: { steps }, ...given }
}

/** The rules in one place: the answer of an operation, and the model after it. */
function expected(
  model: Model,
  pk: string,
  step: Step,
): { readonly status: number; readonly own: JsonObject | null } {
  const before = model.get(nameOf(pk, step.id))
  const refused = (status: number): { status: number; own: null } => ({ status, own: null })
  const { kind, condition } = step
  if (kind === 'create' && before !== undefined) return refused(condition === 'unlessAny' ? 412 : 409)
  if (kind !== 'create' && kind !== 'upsert' && before === undefined) return refused(404)
  if (kind === 'read') {
    if (condition === 'unlessAny') return { status: 304, own: before?.own ?? null }
    return condition === 'stale' ? refused(412) : { status: 200, own: before?.own ?? null }
  }
  if (before !== undefined && (condition === 'stale' || condition === 'unlessAny')) return refused(412)
  if (kind === 'delete') return { status: 204, own: null }
  const own = kind === 'patch' ? { ...before?.own, mail: step.mail ?? null } : documentOf(step, pk)
  const isTaken = [...model].some(
    ([name, known]) =>
      name.startsWith(`${pk}/`) &&
      name !== nameOf(pk, step.id) &&
      (known.own['mail'] ?? null) === (own['mail'] ?? null),
  )
  if (isTaken) return refused(409)
  return { status: before === undefined ? 201 : 200, own }
}

function ownOf(document: Readonly<JsonObject>): JsonObject {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !name.startsWith('_')))
}

/** Runs the engine and the model in parallel. */
class SideBySide {
  model = new Map<string, Known>()
  nowSeconds = 1_000_000
  readonly container: Container

  constructor(partitionCount: number) {
    const engine = anEngine({ now: () => this.nowSeconds * 1_000 })
    const uniqueKeyPolicy = { uniqueKeys: [{ paths: ['/mail'] }] }
    this.container = aContainer(engine, { uniqueKeyPolicy, defaultTtl: 4 }, partitionCount)
  }

  one(pk: string, step: Step): void {
    const wanted = expected(this.model, pk, step)
    const given = operationOf(step, pk, this.model.get(nameOf(pk, step.id)))
    try {
      const { status, version } = this.container.execute([pk], given)
      expect(status).toBe(wanted.status)
      this.record(this.model, pk, step, { own: wanted.own, etag: version?.etag ?? '' })
      if (version !== null) expect(ownOf(version.document)).toEqual(wanted.own)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      expect(error.status).toBe(wanted.status)
    }
  }

  /** Etags that the batch itself creates are not known before it, so conditions name earlier ones. */
  batch(pk: string, steps: readonly Step[]): void {
    const after = new Map(this.model)
    const wanted: { status: number; own: JsonObject | null }[] = []
    const operations: ItemOperation[] = []
    const written = new Set<string>()
    for (const original of steps) {
      const isEtagUnknown = original.condition === 'own' && written.has(original.id)
      const step: Step = isEtagUnknown ? { ...original, condition: 'any' } : original
      const next = expected(after, pk, step)
      operations.push(operationOf(step, pk, after.get(nameOf(pk, step.id))))
      wanted.push(next)
      if (next.status >= 400) break
      if (step.kind !== 'read') written.add(step.id)
      this.record(after, pk, step, { own: next.own, etag: '' })
    }
    const result = this.container.batch([pk], operations)
    if (result.kind === 'rolledBack') {
      expect([result.failedAt, result.refusal.status]).toEqual([wanted.length - 1, wanted.at(-1)?.status])
      return
    }
    expect(result.results.map(({ status }) => status)).toEqual(wanted.map(({ status }) => status))
    for (const id of written) {
      const known = after.get(nameOf(pk, id))
      const version = this.container.find([pk], id)
      if (known !== undefined) after.set(nameOf(pk, id), { ...known, etag: version?.etag ?? '' })
    }
    this.model = after
  }

  deleteKey(pk: string): void {
    deleteKey(this.container, [pk])
    for (const name of this.model.keys()) if (name.startsWith(`${pk}/`)) this.model.delete(name)
  }

  split(at: number): void {
    const partition = this.container.partitions[at % this.container.partitions.length]
    if (partition !== undefined && this.container.partitions.length < 4)
      this.container.splitPartition(partition.id)
  }

  pass(seconds: number): void {
    this.nowSeconds += seconds
    for (const [name, { ttl, writtenAt }] of this.model) {
      const lifetime = ttl ?? 4
      if (lifetime !== -1 && writtenAt + lifetime < this.nowSeconds) this.model.delete(name)
    }
  }

  /** Checks that stored, found and listed documents equal those of the model, with the same etags. */
  compare(): void {
    const stored = new Map<string, string>()
    const inFeed = new Map<string, string>()
    this.container.purgeExpired()
    for (const partition of this.container.partitions) {
      for (const version of partition.documents.after(0)) {
        const { document, id, etag } = version
        const pk = String(document['pk'])
        expect(this.container.find([pk], id)).toBe(version)
        stored.set(nameOf(pk, id), `${etag} ${JSON.stringify(sorted(ownOf(document)))}`)
      }
      const page = readChanges(this.container, partition, {
        start: { kind: 'beginning' },
        maxItemCount: 1_000,
      })
      expect(page).toMatchObject({ isDrained: true, lsn: partition.lsn })
      for (const { document, id, etag } of page.versions) {
        inFeed.set(nameOf(String(document['pk']), id), `${etag} ${JSON.stringify(sorted(ownOf(document)))}`)
      }
    }
    const wanted = [...this.model].map(([name, { etag, own }]) => [
      name,
      `${etag} ${JSON.stringify(sorted(own))}`,
    ])
    expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(wanted))
    expect(Object.fromEntries(inFeed)).toEqual(Object.fromEntries(wanted))
  }

  private record(
    model: Map<string, Known>,
    pk: string,
    step: Step,
    now: Pick<Known, 'etag'> & { own: JsonObject | null },
  ): void {
    const name = nameOf(pk, step.id)
    if (step.kind === 'read') return
    if (now.own === null) {
      model.delete(name)
      return
    }
    const ttl = now.own['ttl']
    model.set(name, {
      own: now.own,
      etag: now.etag,
      ttl: typeof ttl === 'number' ? ttl : undefined,
      writtenAt: this.nowSeconds,
    })
  }
}

function sorted(own: JsonObject): unknown {
  return Object.entries(own).sort(([one], [other]) => (one < other ? -1 : 1))
}

describe('the engine', () => {
  it('agrees with a model of one map on writes, splits, expiry and refusals', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 50 }), fc.integer({ min: 1, max: 2 }), (actions, count) => {
        const both = new SideBySide(count)
        for (const one of actions) {
          if (one.kind === 'one') both.one(one.pk, one.step)
          else if (one.kind === 'batch') both.batch(one.pk, one.steps)
          else if (one.kind === 'deleteKey') both.deleteKey(one.pk)
          else if (one.kind === 'split') both.split(one.at)
          else both.pass(one.seconds)
        }
        both.compare()
      }),
      { numRuns: 300 },
    )
  })
})
