import { expect, it } from 'vitest'
import { aContainer, refusalOf, upsertOf } from '../an-engine.js'

it.each([
  ['a backslash and a letter in place of the character that JSON writes so', 'a\\nb', 'a\nb'],
  ['a character in place of a backslash and a letter', 'a\nb', 'a\\nb'],
  ['a quote', 'a"', 'a'],
])('a document is refused if its key has %s', (_what, own, given) => {
  const refusal = refusalOf(() => aContainer().execute([given], upsertOf('d', own)))
  expect(refusal).toMatchObject({ status: 400, substatus: 1001 })
})

it.each(['plain', 'a\\nb', 'a\nb', 'a"', '', '\ud800', 'ü€'])('a document has the key %j', (key) => {
  expect(aContainer().execute([key], upsertOf('d', key)).status).toBe(201)
})
