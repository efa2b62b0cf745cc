import { describe, expect, it } from 'vitest'
import {
  noFleetDecisions,
  recordFleetDecision,
  refuseFleetTerms,
  withFleetDecision,
} from '../../../../src/sas/fleet-decisions/fleet-decisions.js'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import { StoreRefused, StoreUnavailable } from '../../../../src/sas/model/errors.js'
import type { FleetDecision } from '../../../../src/sas/model/operator-documents.js'
import type { ApplyResult, StateDocument, StateWrite } from '../../../../src/sas/store/state-store.js'

const terms = {
  command: 'scale',
  role: 'agents',
  from: 2,
  to: 5,
  target: 'fleet on host-1',
  by: 'ann',
  why: 'the sale begins',
} as const

const madeAt = (seconds: number): FleetDecision => ({
  ...terms,
  at: new Date(1_000 * seconds).toISOString(),
})

describe('the document of decisions about instances', () => {
  it('gets each decision at its end, and the time of the newest', () => {
    const first = withFleetDecision(noFleetDecisions(), madeAt(10))
    expect(first).toEqual({
      id: 'sas.fleetDecisions',
      pk: 'sas.fleetDecisions',
      type: 'sas.fleetDecisions',
      schema: 1,
      audit: [madeAt(10)],
      operatedAtMs: 10_000,
      ttl: -1,
    })
    const second = withFleetDecision(first ?? noFleetDecisions(), { ...madeAt(20), why: 'over' })
    expect(second?.audit.map(({ why }) => why)).toEqual(['the sale begins', 'over'])
    expect(decodeDocument({ ...second })).toMatchObject({ kind: 'fleetDecisions' })
  })

  it('keeps the newest 100 decisions', () => {
    let document = noFleetDecisions()
    for (let second = 1; second <= 103; second += 1) {
      document = withFleetDecision(document, madeAt(second)) ?? document
    }
    expect(document.audit).toHaveLength(100)
    expect(document.audit[0]).toEqual(madeAt(4))
    expect(document.audit.at(-1)).toEqual(madeAt(103))
  })

  it('does not get the same decision twice, but gets another decision of the same moment', () => {
    const first = withFleetDecision(noFleetDecisions(), madeAt(10)) ?? noFleetDecisions()
    expect(withFleetDecision(first, madeAt(10))).toBeNull()
    expect(withFleetDecision(first, { ...madeAt(10), role: 'scheduler' })?.audit).toHaveLength(2)
  })

  it('keeps the time of the newest decision if the next operator has a slow clock', () => {
    const first = withFleetDecision(noFleetDecisions(), madeAt(10)) ?? noFleetDecisions()
    expect(withFleetDecision(first, madeAt(5))?.operatedAtMs).toBe(10_000)
  })
})

describe('the texts of a decision', () => {
  it.each([
    [{ by: 'ann', why: '' }, /^scale: why is ""/],
    [{ by: '', why: 'w' }, /^scale: by is ""/],
    [{ by: 'ann', why: 'x'.repeat(2_001) }, /^scale: why .*at most 2,000/],
  ])('are refused before anything is changed: %#', (said, problem) => {
    expect(() => refuseFleetTerms('scale', said)).toThrow(problem)
  })

  it('may have every length that other commands permit', () => {
    expect(() => refuseFleetTerms('rebalance', { by: 'x'.repeat(200), why: 'x'.repeat(2_000) })).not.toThrow()
  })
})

/** A store with one document. Each write gets the next of these results, and is made if the result is not a conflict. */
function aStore(results: readonly ApplyResult['kind'][], first: StateDocument | null = null) {
  let document = first
  let version = 0
  const left = [...results]
  return {
    read: () => Promise.resolve(document === null ? null : { ...document, _etag: String(version), _ts: 0 }),
    apply: (_pk: string, [write]: readonly StateWrite[]): Promise<ApplyResult> => {
      const kind = left.shift() ?? 'applied'
      if (write === undefined) throw new Error('nothing is written')
      if (kind === 'conflict') {
        return Promise.resolve({ kind, id: write.document.id, reason: 'changed' })
      }
      const isExpected = write.kind === 'create' ? document === null : write.ifMatch === String(version)
      expect(isExpected, 'each write depends on the etag').toBe(true)
      document = write.document
      version += 1
      return Promise.resolve(
        kind === 'applied'
          ? { kind, etags: [String(version)], physicalRangeId: null, charge: 1 }
          : { kind, cause: null },
      )
    },
    audit: () => (document?.['audit'] ?? []) as readonly FleetDecision[],
  }
}

const clock = { now: () => 10_000 }

describe('a record of a decision', () => {
  it('is tried again after a conflict', async () => {
    const store = aStore(['conflict', 'conflict'])
    await recordFleetDecision({ store, clock }, terms)
    await recordFleetDecision({ store, clock: { now: () => 20_000 } }, terms)
    expect(store.audit()).toEqual([madeAt(10), madeAt(20)])
  })

  it('is made once if the answer to the write was lost', async () => {
    const store = aStore(['unknownOutcome'])
    await recordFleetDecision({ store, clock }, terms)
    expect(store.audit()).toEqual([madeAt(10)])
  })

  it('fails if other writers are always faster', async () => {
    const store = aStore(Array.from({ length: 10 }, () => 'conflict' as const))
    await expect(recordFleetDecision({ store, clock }, terms)).rejects.toThrow(StoreUnavailable)
  })

  it.each([
    [{ schema: 99 }, 'a newer version has written it'],
    [{ schema: 1, audit: 'none' }, 'it is damaged'],
  ])('leaves a document alone that it cannot read: %j', async (fields, problem) => {
    const place = { id: 'sas.fleetDecisions', pk: 'sas.fleetDecisions', type: 'sas.fleetDecisions' }
    const store = aStore([], { ...place, ...fields })
    const recording = recordFleetDecision({ store, clock }, terms)
    await expect(recording).rejects.toThrow(StoreRefused)
    await expect(recording).rejects.toThrow(problem)
    expect(await store.read()).toMatchObject(fields)
  })
})
