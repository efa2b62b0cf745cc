import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cutEvenly,
  keySpaceOf,
  intersection,
  readAllVersions,
  Refusal,
  type Container,
} from '../../../../src/emulator/engine/index.js'
import { aContainer, anEngine, refusalOf, upsertOf } from './an-engine.js'

const policy = { changeFeedPolicy: { retentionDuration: 10 } }

const ids = fc.constantFrom('a', 'b', 'c')
const keys = fc.constantFrom('k1', 'k2', 'k3', 'k4')
const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('upsert' as const), id: ids, pk: keys }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: ids, pk: keys }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      pk: keys,
      ids: fc.array(ids, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('split' as const), at: fc.nat(5) }) },
)

interface Shown {
  readonly current: { readonly id?: string; readonly pk?: string; readonly round?: number }
  readonly previous?: { readonly round: number }
  readonly metadata: { readonly lsn: number; readonly operationType: string; readonly id?: string }
}

/** What the feed should show: the operation, the document, the round after it and the round before it. */
type Told = readonly [operation: string, id: string, after: number | undefined, before: number | undefined]

/** A container, and a plain list of all changes of each key. */
class Model {
  readonly container = aContainer(anEngine(), policy)
  readonly told = new Map<string, Told[]>()
  private readonly rounds = new Map<string, number>()
  private round = 0

  run(action: typeof act extends fc.Arbitrary<infer T> ? T : never): void {
    const { container } = this
    if (action.kind === 'split') {
      const { id } = container.partitions[action.at % container.partitions.length] ?? { id: '0' }
      container.splitPartition(id)
    } else if (action.kind === 'upsert') {
      container.execute([action.pk], this.upserting(action.pk, action.id))
    } else if (action.kind === 'batch') {
      container.batch(
        [action.pk],
        action.ids.map((id) => this.upserting(action.pk, id)),
      )
    } else if (this.rounds.has(`${action.pk}/${action.id}`)) {
      container.execute([action.pk], { kind: 'delete', id: action.id })
      this.tell(action.pk, action.id, undefined)
    }
  }

  private upserting(pk: string, id: string): ReturnType<typeof upsertOf> {
    this.round += 1
    this.tell(pk, id, this.round)
    return upsertOf(id, pk, { round: this.round })
  }

  private tell(pk: string, id: string, after: number | undefined): void {
    const place = `${pk}/${id}`
    const before = this.rounds.get(place)
    const operation = after === undefined ? 'delete' : before === undefined ? 'create' : 'replace'
    this.told.set(pk, [...(this.told.get(pk) ?? []), [operation, id, after, before]])
    if (after === undefined) this.rounds.delete(place)
    else this.rounds.set(place, after)
  }
}

/** Returns all pages of a scope from the beginning of the history, which is LSN 0. */
function readAll(
  container: Container,
  scope: {
    readonly rangeId: string
    readonly keyText?: string
    readonly part?: { min: string; max: string }
  },
  maxItemCount: number,
): Shown[] {
  const partition = container.partitionById(scope.rangeId)
  const shown: Shown[] = []
  let lsn = 0
  while (true) {
    const page = readAllVersions(container, partition, {
      start: { kind: 'after', lsn },
      maxItemCount,
      ...(scope.keyText === undefined ? {} : { keyText: scope.keyText }),
      ...(scope.part === undefined ? {} : { range: scope.part }),
    })
    const changes = page.texts.map((text) => JSON.parse(text) as Shown)
    if (changes.length === 0) return shown
    expect(changes[0]?.metadata.lsn).toBeGreaterThan(shown.at(-1)?.metadata.lsn ?? 0)
    shown.push(...changes)
    lsn = page.lsn
  }
}

const toldBy = ({ current, previous, metadata }: Shown): Told => [
  metadata.operationType,
  metadata.id ?? current.id ?? '',
  current.round,
  previous?.round,
]

describe('the all-versions feed of the engine', () => {
  it('shows every change of each key in order, however the key space is split', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (actions, pageSize) => {
        const model = new Model()
        for (const action of actions) model.run(action)
        const { container, told } = model
        for (const [pk, expected] of told) {
          const { keyText, partition } = container.locate([pk])
          const shown = readAll(container, { rangeId: partition.id, keyText }, pageSize)
          expect(shown.map(toldBy)).toEqual(expected)
        }
        const parts = container.partitions.flatMap(({ id, range }) =>
          cutEvenly(3, keySpaceOf({ version: 2 })).flatMap((piece) => {
            const part = intersection(piece, range)
            return part === null ? [] : readAll(container, { rangeId: id, part }, pageSize)
          }),
        )
        const wholes = container.partitions.flatMap(({ id }) => readAll(container, { rangeId: id }, pageSize))
        const count = [...told.values()].flat().length
        expect([parts.length, wholes.length]).toEqual([count, count])
      }),
      { numRuns: 200 },
    )
  })

  it('rejects a start before the kept history of a part, and accepts one within it', () => {
    let seconds = 1_000
    const container = aContainer(anEngine({ now: () => seconds * 1_000 }), policy)
    const lastLsn = new Map<string, number>()
    const [left, right] = container.splitPartition('0')
    if (left === undefined || right === undefined) throw new Error('a split makes two')
    for (const pk of ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7']) {
      const { version } = container.execute([pk], upsertOf('o', pk))
      lastLsn.set(container.locate([pk]).partition.id, version?.lsn ?? 0)
    }
    expect(lastLsn.get(left.id)).not.toBe(lastLsn.get(right.id))
    seconds += 600
    container.execute(['k1'], upsertOf('late', 'k1'))
    const [grown, still] = container.locate(['k1']).partition === left ? [left, right] : [right, left]
    const after = (part: typeof left, lsn: number): readonly string[] =>
      readAllVersions(container, part, { start: { kind: 'after', lsn }, maxItemCount: 10 }).texts
    for (const part of [grown, still]) {
      const limit = lastLsn.get(part.id) ?? 0
      expect(refusalOf(() => after(part, limit - 1))).toMatchObject({ status: 400 })
      expect(after(part, limit)).toHaveLength(part === grown ? 1 : 0)
    }
  })

  it('is available only with a policy', () => {
    const container = aContainer()
    container.execute(['k'], upsertOf('o', 'k'))
    expect(container.history).toBeNull()
    const partition = container.partitionById('0')
    const read = (): unknown =>
      readAllVersions(container, partition, { start: { kind: 'now' }, maxItemCount: 1 })
    expect(read).toThrow(Refusal)
    expect(read).toThrow('has no changeFeedPolicy')
  })
})
