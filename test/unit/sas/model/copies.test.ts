import { expect, it } from 'vitest'
import { copyWith, copyWithout } from '../../../../src/sas/model/copies/copy-with.js'
import { jobSchema, stepSchema } from '../../../../src/sas/model/documents.js'

const kinds = [
  ['job', jobSchema.shape, 'sas.job'],
  ['step', stepSchema.shape, 'sas.step'],
] as const

/** Returns a document with a value of its own in each field, or only in those that each document has. */
function documentOf(shape: Readonly<Record<string, unknown>>, type: string, isWhole: boolean): object {
  const names = Object.entries(shape).flatMap(([name, schema]) => {
    const { def } = schema as { readonly def: { readonly type: string } }
    return isWhole || def.type !== 'optional' ? [name] : []
  })
  return { ...Object.fromEntries(names.map((name) => [name, { name }])), type }
}

it.each(kinds)('a copy of a %s has each field of the schema', (_, shape, type) => {
  for (const isWhole of [true, false]) {
    const document = documentOf(shape, type, isWhole)
    const copy = copyWith(document)
    expect(copy).not.toBe(document)
    expect(copy).toStrictEqual(document)
    expect(Object.keys(copyWith(copy))).toEqual(Object.keys(copy))
  }
})

it.each(kinds)(
  'a copy of a %s keeps fields that this version does not know, in any order',
  (_, shape, type) => {
    const document = {
      unknown: 1,
      ...documentOf(shape, type, true),
      _etag: '"e"',
      later: null,
      gone: undefined,
    }
    const copy = copyWith(document)
    expect(copy).toStrictEqual(document)
    expect(copyWith(copy)).toStrictEqual(document)
  },
)

it.each(kinds)(
  'a copy of a %s keeps unknown fields of any name if the document lacks a known field',
  (_, shape, type) => {
    const [id, kind, lacking, ...others] = Object.keys(copyWith(documentOf(shape, type, false)))
    const unknown = ['later', 'constructor', '__proto__']
    const known = [id, kind, ...others].map((name) => `"${name}":${name === 'type' ? `"${type}"` : 1}`)
    for (const name of unknown) {
      const document = JSON.parse(`{"${name}":{"a":1},${known.join()}}`) as object
      const copy = JSON.parse(JSON.stringify(copyWith(document))) as object
      expect(Object.entries(copy).sort(), `${name}, ${lacking}`).toEqual(Object.entries(document).sort())
    }
  },
)

it.each(kinds)(
  'changes of a copy of a %s do not change the document, and the later of two changes counts',
  (_, shape, type) => {
    const document = { ...documentOf(shape, type, false), fence: 1, place: 'a' }
    expect(copyWith(document, { fence: 2, place: 'b' }, { fence: 3 })).toStrictEqual({
      ...document,
      fence: 3,
      place: 'b',
    })
    expect(document).toMatchObject({ fence: 1, place: 'a' })
  },
)

it.each(kinds)('a copy of a %s lacks the omitted fields', (_, shape, type) => {
  const document = { ...documentOf(shape, type, true), _etag: '"e"', _ts: 1 }
  const copy = copyWithout(document, new Set(['_etag', '_ts', 'secrets']))
  const { _etag, _ts, secrets: _secrets, ...others } = document as typeof document & { secrets: unknown }
  expect(copy).toStrictEqual(others)
})

it('a copy of a document of another type has all its fields', () => {
  const document = { id: 'n', type: 'sas.notify', _etag: '"e"' }
  expect(copyWith(document, { id: 'm' })).toStrictEqual({ ...document, id: 'm' })
  expect(copyWithout(document, new Set(['_etag']))).toStrictEqual({ id: 'n', type: 'sas.notify' })
})
