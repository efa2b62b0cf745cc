import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DocumentTemplates } from '../../../../src/emulator/durability/document-templates.js'
import {
  marked,
  propertiesOf,
  TextTemplate,
  unmarked,
} from '../../../../src/emulator/durability/text-template.js'

/** Returns the JSON of an object without its last brace. */
function textOf(document: object): string {
  return JSON.stringify(document).slice(0, -1)
}

function templateOf(document: object, keyText = '[]'): TextTemplate {
  return new TextTemplate(propertiesOf(textOf(document), keyText) ?? [])
}

const part = fc.constantFrom(
  '',
  'a',
  '{"',
  '":',
  ',"a":',
  '"',
  '\\',
  'ü',
  '€',
  '😀',
  '😁',
  '\n',
  '\u0001',
  'name',
)
const value = fc.oneof(
  fc.array(part).map((parts) => parts.join('')),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary' }),
)
const shapes = fc
  .uniqueArray(fc.oneof(part, fc.string()), { minLength: 1, maxLength: 8 })
  .filter((names) => !names.includes('__proto__'))

describe('TextTemplate', () => {
  it('restores every text that it shortens, and shortens all texts with its properties', () => {
    const documents = shapes.chain((names) =>
      fc
        .array(fc.tuple(...names.map(() => value)), { minLength: 2, maxLength: 4 })
        .map((rows) => rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])))),
    )
    const keyText = fc.oneof(
      fc.constant('[null]'),
      part.map((key) => JSON.stringify([`${key}${key}name`])),
    )
    fc.assert(
      fc.property(documents, keyText, ([first = {}, ...others], key) => {
        const properties = propertiesOf(textOf(first), key)
        if (properties === null) return
        const template = new TextTemplate(properties)
        for (const other of [first, ...others]) {
          const text = textOf(other)
          const short = template.shortened(marked(text, key))
          expect(short).not.toBeNull()
          // LMDB keeps bytes, so the pieces must not divide a character.
          const read = Buffer.from(short ?? '').toString()
          expect(unmarked(template.restored(read), key)).toBe(text)
        }
      }),
    )
  })

  it('keeps what differs from the template, and the partition key once', () => {
    const keyText = '["customer-7"]'
    const first = { id: 'customer-7:1', pk: 'customer-7', state: 'open', total: 1, note: null }
    const other = { ...first, id: 'customer-7:2', total: 25, note: 'customer-7 calls' }
    const template = templateOf(first, keyText)
    const short = template.shortened(marked(textOf(other), keyText))
    expect(short).toBe(' #!2\n"  25\n   "\u0001 calls"\n')
    expect(template.shortened(marked(textOf(first), keyText))).toBe('')
  })

  it('divides no character, and keeps a last value that begins as that of the template', () => {
    const template = templateOf({ id: '😀', total: 1 })
    const other = textOf({ id: '😁', total: 12 })
    const read = Buffer.from(template.shortened(other) ?? '').toString()
    expect(template.restored(read)).toBe(other)
  })

  it('shortens no text with fewer properties, or with others in front', () => {
    const template = templateOf({ id: 'a', pk: 'k', state: 'open' })
    expect(template.shortened(textOf({ id: 'a', pk: 'k' }))).toBeNull()
    expect(template.shortened(textOf({ pk: 'k', id: 'a', state: 'open' }))).toBeNull()
    expect(template.shortened(textOf({ id: 'a', pk: 'k', new: 1, state: 'open' }))).not.toBeNull()
  })

  it('is made of no document with more properties than it can count', () => {
    const wide = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, number) => [`p${number}`, number]))
    expect(propertiesOf(textOf(wide(95)), '[]')).toHaveLength(95)
    expect(propertiesOf(textOf(wide(96)), '[]')).toBeNull()
    const last = templateOf(wide(95)).shortened(textOf({ ...wide(95), p94: 'x' }))
    expect(templateOf(wide(95)).restored(last ?? '')).toBe(textOf({ ...wide(95), p94: 'x' }))
  })
})

describe('DocumentTemplates', () => {
  const rid = 'container'

  /** Shortens texts of these documents, and returns the templates that this made. */
  function given(
    templates: DocumentTemplates,
    documents: readonly object[],
  ): { readonly made: string[]; readonly short: number } {
    const made: string[] = []
    const found = documents.filter((document) => {
      const text = textOf(document)
      const short = templates.shortened(rid, { keyText: '[]', text }, (_, record) => made.push(record))
      if (short !== null) expect(templates.restored(rid, short, '[]')).toBe(text)
      return short !== null
    })
    return { made, short: found.length }
  }

  const many = (count: number, shape: (number: number) => object): object[] =>
    Array.from({ length: count }, (_, number) => shape(number))

  it('makes a template of the longest of 512 texts with the same properties', () => {
    const templates = new DocumentTemplates()
    const notes = many(511, (number) => ({ id: number, note: number === 300 ? 'long, longer, longest' : '' }))
    expect(given(templates, notes)).toEqual({ made: [], short: 0 })
    const { made, short } = given(templates, [{ id: 511, note: '' }, ...notes])
    expect(made).toHaveLength(1)
    expect(made[0]).toContain('longest')
    expect(short).toBe(512)
  })

  it('leaves long texts as they are, because a template saves little of them', () => {
    const templates = new DocumentTemplates()
    const longest = { id: 0, note: 'x'.repeat(4 * 8_192 - textOf({ id: 0, note: '' }).length) }
    given(
      templates,
      many(512, (id) => ({ id, note: 'short' })),
    )
    expect(given(templates, [longest]).short).toBe(1)
    expect(given(templates, [{ ...longest, note: `${longest.note}x` }]).short).toBe(0)
  })

  it('knows the templates that another one has made, and never gives the number of a lost one again', () => {
    const templates = new DocumentTemplates()
    const { made } = given(
      templates,
      many(512, (id) => ({ id })),
    )
    const again = new DocumentTemplates()
    again.add(rid, 4, made[0] ?? '')
    again.add(rid, 5, null)
    expect(given(again, [{ id: 'x' }]).short).toBe(1)
    const numberOf = (of: DocumentTemplates, shape: (number: number) => object): number => {
      const numbers: number[] = []
      for (const name of many(512, shape))
        of.shortened(rid, { keyText: '[]', text: textOf(name) }, (number) => numbers.push(number))
      expect(numbers).toHaveLength(1)
      return numbers[0] ?? 0
    }
    const [first, lost] = [new DocumentTemplates(), new DocumentTemplates()]
    const number = numberOf(first, (pk) => ({ pk }))
    expect(numberOf(lost, (a) => ({ a }))).not.toBe(number)
    expect(lost.restored(rid, { template: number, short: '' }, '[]')).toBeUndefined()
    expect(again.restored(rid, { template: 5, short: '' }, '[]')).toBeUndefined()
    again.forget(rid)
    expect(again.restored(rid, { template: 4, short: '' }, '[]')).toBeUndefined()
  })

  it('stops to look at a container in which every document has properties of its own', () => {
    const templates = new DocumentTemplates()
    given(
      templates,
      many(64 * 512, (number) => ({ [`own${number}`]: number })),
    )
    const known = many(600, () => ({ own0: 0 }))
    expect(given(templates, known).made).toEqual([])
  })
})
