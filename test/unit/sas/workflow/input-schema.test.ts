import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readInputSchema } from '../../../../src/sas/workflow/input-schema.js'
import type { Json } from '../../../../src/sas/model/values/json.js'

const jsonSchema = {
  type: 'object',
  properties: {
    orderId: { type: 'string', minLength: 1 },
    items: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
  },
  required: ['orderId'],
  additionalProperties: false,
}
const zodSchema = z.strictObject({
  orderId: z.string().min(1),
  items: z.array(z.object({ n: z.int() })).optional(),
})

function problemsOf(schema: unknown, input: Json): readonly string[] {
  const read = readInputSchema(schema)
  if ('problem' in read) throw new Error(read.problem)
  return read.check(input)
}

describe.each([
  ['JSON Schema', jsonSchema],
  ['zod', zodSchema],
])('an input schema in %s', (_name, schema) => {
  it('accepts an input that fits', () => {
    expect(problemsOf(schema, { orderId: 'o', items: [{ n: 1 }] })).toEqual([])
  })

  it.each<[Json, string]>([
    [{}, 'input.orderId is missing: invalid input: expected string, received undefined'],
    [{ orderId: '' }, 'input.orderId is "": too small: expected string to have >=1 characters'],
    [{ orderId: 'o', items: [{ n: 1.5 }] }, 'input.items[0].n is 1.5: invalid input: expected int'],
    [{ orderId: 'o', extra: 1 }, 'input is {"orderId":"o","extra":1}: unrecognized key: "extra"'],
    [null, 'input is null: invalid input: expected object, received null'],
    [{ orderId: 'o', x: 'y'.repeat(200) }, 'y'.repeat(50)],
  ])('names the path, the value and the rule of %j', (input, message) => {
    expect(problemsOf(schema, input).join()).toContain(message)
  })
})

it.each<[unknown, string]>([
  [5, 'input must be a schema of zod 4 or a JSON Schema'],
  [null, 'input must be'],
  [{ safeParse: () => null }, 'input must be a schema of zod 4'],
  [{ type: 'nonsense' }, 'input is no schema that can be checked: Unsupported type: nonsense'],
])('a schema that cannot be checked is a problem: %j', (schema, problem) => {
  expect(readInputSchema(schema)).toMatchObject({ problem: expect.stringContaining(problem) as string })
})
