import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../../src/sas/model/values/json.js'
import { secretsInSchema } from '../../../../src/sas/plan/schema-secrets.js'

const secret = { type: 'string', secret: true } as const

function pathsIn(schema: unknown): readonly string[] {
  return secretsInSchema(schema as Json).map((path) => path.join('.'))
}

describe('the marks of a schema', () => {
  it.each<[string, object, readonly string[]]>([
    ['a property', { properties: { card: secret, name: { type: 'string' } } }, ['card']],
    ['the whole value', { ...secret }, ['']],
    ['items', { properties: { cards: { items: secret } } }, ['cards.*']],
    ['patterns of names', { patternProperties: { '^card': secret } }, ['*']],
    ['further properties', { additionalProperties: { properties: { pin: secret } } }, ['*.pin']],
    ['an alternative', { anyOf: [{ type: 'null' }, { properties: { card: secret } }] }, ['card']],
    ['a condition', { if: {}, then: { properties: { card: secret } } }, ['card']],
    ['a reference', { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: secret } }, ['a']],
    ['a slash', { properties: { a: { $ref: '#/$defs/x~1y' } }, $defs: { 'x/y': secret } }, ['a']],
    ['a tilde', { properties: { a: { $ref: '#/$defs/x~0y' } }, $defs: { 'x~y': secret } }, ['a']],
    ['a percent sign', { properties: { a: { $ref: '#/$defs/x%20y' } }, $defs: { 'x y': secret } }, ['a']],
    ['no mark', { properties: { a: { $ref: '#/$defs/none' }, b: { $ref: 'other.json' } } }, []],
  ])('%s', (_what, schema, expected) => {
    expect(pathsIn(schema)).toEqual(expected)
  })

  it('of definitions by Zod', () => {
    const card = z.string().meta({ id: 'my/card ü', secret: true })
    expect(pathsIn(z.toJSONSchema(z.object({ card, more: z.array(card) })))).toEqual(['card', 'more.*'])
    const loose = z.looseRecord(z.string().regex(/^c/), z.string().meta({ secret: true }))
    expect(pathsIn(z.toJSONSchema(z.object({ cards: loose })))).toEqual(['cards.*'])
  })
})

describe('a schema that contains itself', () => {
  it('has as a secret what leads back to it, because no path describes all levels', () => {
    const person = { properties: { card: secret, kids: { items: { $ref: '#/$defs/person' } } } }
    const schema = { properties: { owner: { $ref: '#/$defs/person' } }, $defs: { person } }
    expect(pathsIn(schema)).toEqual(['owner.card', 'owner.kids.*'])
    const bare = { properties: { kids: { items: { $ref: '#' } } } }
    expect(pathsIn(bare)).toEqual([])
    expect(pathsIn({ properties: { ...bare.properties, card: secret } })).toEqual(['kids.*', 'card'])
  })

  it('is read once for each definition, however many refer to each other', () => {
    const names = Array.from({ length: 40 }, (_, index) => `type-${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]))
    const definitions = Object.fromEntries(names.map((name) => [name, { properties }]))
    const schema = { properties, $defs: { ...definitions, 'type-7': { properties, ...secret } } }
    expect(pathsIn(schema)).toContain('type-7')
  })
})
