import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { jobSchema, stepSchema } from '../../../../../src/sas/model/documents.js'
import { json } from '../../../../../src/sas/model/values/plain-json.js'
import { quickCheck } from '../../../../../src/sas/model/checks/quick-check.js'
import { seededRandom } from '../../../../../src/platform/index.js'
import { JobStory } from '../../../../support/job-story.js'

const story = JobStory.submitted({ pay: [], ship: ['pay'] }, {}).scheduled()
const documents = {
  job: { schema: jobSchema.loose(), document: JSON.parse(JSON.stringify(story.job)) as object },
  step: { schema: stepSchema.loose(), document: JSON.parse(JSON.stringify(story.step('pay'))) as object },
}
const random = seededRandom(1)
const oddValues = [
  null,
  undefined,
  '',
  'x',
  0,
  1.5,
  -1,
  Infinity,
  Number.NaN,
  true,
  [],
  [1],
  {},
  { a: 1 },
  2 ** 60,
]

function anyOf<T>(items: readonly T[]): T {
  const item = items[Math.floor(random.next() * items.length)]
  return item as T
}

/** Changes one field somewhere in a copy of a document: sets, removes or adds it. */
function mutated(document: object): object {
  const copy = JSON.parse(JSON.stringify(document)) as object
  let place = copy as Record<string, unknown>
  for (let depth = 0; depth < 3 && random.next() < 0.5; depth += 1) {
    const inner = Object.values(place).filter((value) => typeof value === 'object' && value !== null)
    if (inner.length > 0) place = anyOf(inner) as Record<string, unknown>
  }
  const places = Array.isArray(place) ? [String(place.length)] : Object.keys(place)
  const name = Array.isArray(place) || random.next() > 0.2 ? anyOf(places) : 'another'
  if (!Array.isArray(place) && random.next() < 0.2) Reflect.deleteProperty(place, name)
  else place[name] = anyOf(oddValues)
  return copy
}

describe('the quick check of a schema', () => {
  it.each(Object.keys(documents) as (keyof typeof documents)[])('accepts a stored %s', (kind) => {
    const { schema, document } = documents[kind]
    expect(quickCheck(schema)(document)).toBe(true)
  })

  it.each(Object.keys(documents) as (keyof typeof documents)[])(
    'accepts a changed %s only if the schema accepts it without a change',
    (kind) => {
      const { schema, document } = documents[kind]
      const check = quickCheck(schema)
      let accepted = 0
      for (let round = 0; round < 5_000; round += 1) {
        const changed = mutated(document)
        if (!check(changed)) continue
        accepted += 1
        const parsed = schema.safeParse(changed)
        expect(parsed.error).toBeUndefined()
        expect(parsed.data).toEqual(changed)
      }
      expect(accepted).toBeGreaterThan(100)
      expect(accepted).toBeLessThan(4_900)
    },
  )

  it.each<[z.ZodType, unknown, unknown]>([
    [z.string(), 'a', 1],
    [z.boolean(), false, 0],
    [z.number(), 1.5, Infinity],
    [z.number().int(), 1, 1.5],
    [z.enum(['a', 'b']), 'b', 'c'],
    [z.literal('a'), 'a', 'b'],
    [z.string().nullable(), null, undefined],
    [z.string().optional(), undefined, null],
    [z.string().default('x'), 'a', undefined],
    [z.union([z.string(), z.number()]), 1, true],
    [z.array(z.string()), ['a'], ['a', 1]],
    [z.array(z.string()), [], {}],
    [z.record(z.string(), z.number()), { a: 1 }, { a: 'b' }],
    [z.record(z.string(), z.number()), {}, []],
    [z.object({ a: z.string() }), { a: 'b' }, { a: 'b', dropped: 1 }],
    [z.object({ a: z.string() }).loose(), { a: 'b', kept: 1 }, { a: 1 }],
    [z.object({}).loose(), {}, JSON.parse('{ "__proto__": 1 }')],
    [json, { a: [1, null] }, { a: Number.NaN }],
  ])('%# accepts and rejects a value', (schema, good, bad) => {
    expect([quickCheck(schema)(good), quickCheck(schema)(bad)]).toEqual([true, false])
  })

  it.each([z.date(), z.string().min(1), z.number().max(3), z.unknown()])(
    '%# refuses a schema that it does not know',
    (schema) => {
      expect(() => quickCheck(schema)).toThrow(TypeError)
    },
  )
})
