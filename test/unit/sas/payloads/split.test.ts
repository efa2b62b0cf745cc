import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../src/platform/index.js'
import type { Json } from '../../../../src/sas/model/documents.js'
import { holdsTicket } from '../../../../src/sas/model/values/ticket.js'
import { Payloads } from '../../../../src/sas/payloads/payloads.js'
import { split } from '../../../../src/sas/payloads/split.js'
import { resolveTemplate } from '../../../../src/sas/plan/template.js'
import { MemoryPayloads } from '../../../support/memory-payloads.js'

const payload = { id: 'p', hash: 'h', bytes: 9 }
const owner = { partitionKey: 'k', jobId: 'j' }
const long = 'x'.repeat(2_000)
const ticketAt = (at: readonly string[], items?: number) => ({
  $payload: { ...payload, at, ...(items === undefined ? {} : { items }) },
})

describe('a large value in a document', () => {
  it('keeps its small parts, and has tickets for large texts and lists', () => {
    const value = { a: 1, b: { c: long, d: 'short' }, e: [long, 2], f: ['y'] }
    expect(split(value, payload, 65_536)).toEqual({
      a: 1,
      b: { c: ticketAt(['b', 'c']), d: 'short' },
      e: ticketAt(['e'], 2),
      f: ['y'],
    })
  })

  it('is one ticket if it is no object, or if its small parts alone are too large', () => {
    expect(split(long, payload, 65_536)).toEqual(ticketAt([]))
    expect(split([long], payload, 65_536)).toEqual(ticketAt([], 1))
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`key ${index}`, 'z'.repeat(900)]),
    )
    expect(split(many, payload, 65_536)).toEqual(ticketAt([]))
  })

  const deep = fc.letrec<{ value: Json; object: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
      fc.constantFrom(long, 'é'.repeat(1_200)),
      tie('object'),
      fc.array(tie('value'), { maxLength: 4 }),
    ),
    object: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 5 },
    ),
  })).value

  it('is loaded whole again, and so is each of its parts', async () => {
    await fc.assert(
      fc.asyncProperty(deep, fc.integer({ min: 2_048, max: 65_536 }), async (value, limit) => {
        const store = new MemoryPayloads(() => 0, limit)
        const payloads = new Payloads(store, seededRandom(1))
        const plain = JSON.parse(JSON.stringify(value)) as Json
        const kept = await payloads.put(owner, plain)
        expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(limit)
        expect(await payloads.load(owner, kept)).toEqual(plain)
        if (typeof plain !== 'object' || plain === null) return
        for (const [key, part] of Object.entries(plain)) {
          const template = { it: { $from: ['input', key] }, none: { $from: ['input', key, 'no', 'way'] } }
          const known = (input: Json) => resolveTemplate(template, { input, outputs: new Map() })
          expect(await payloads.load(owner, known(kept))).toEqual(known(plain))
          expect((known(plain) as { it: Json }).it).toEqual(part)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('is found wherever it is in a value', () => {
    expect(holdsTicket({ a: [{ b: ticketAt([]) }] })).toBe(true)
    expect(holdsTicket({ a: [{ b: { $payload: 1 } }], c: { ...ticketAt([]), more: 1 } })).toBe(false)
  })
})
