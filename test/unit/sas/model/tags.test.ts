import { describe, expect, it } from 'vitest'
import { readTags, tagsByName } from '../../../../src/sas/model/tags.js'

describe('tags', () => {
  it('are stored as texts ordered by name, and shown by name', () => {
    const { stored, problems } = readTags({ region: 'a=b', customer: 4711, isVip: true })
    expect(problems).toEqual([])
    expect(stored).toEqual(['customer=4711', 'isVip=true', 'region=a=b'])
    expect(tagsByName(stored)).toEqual({ customer: '4711', isVip: 'true', region: 'a=b' })
    expect(tagsByName(undefined)).toEqual({})
  })

  it('may be ten', () => {
    const tags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, i]))
    expect(readTags(tags(10)).problems).toEqual([])
    expect(readTags(tags(11)).problems).toEqual(['tags has 11 tags; a job may have at most 10'])
  })

  it.each<[unknown, string]>([
    [null, 'tags must be an object such as { customer: 4711 }'],
    ['customer=1', 'tags must be an object'],
    [['customer'], 'tags must be an object'],
    [{ '': 'x' }, 'the name "" must begin with a letter'],
    [{ 'a=b': 'x' }, 'the name "a=b" must begin with a letter'],
    [{ ['x'.repeat(51)]: 'x' }, 'must begin with a letter, and have at most 50'],
    [{ customer: '' }, 'tags.customer is ""; it must be a text of 1 to 100 characters, a number, or true or'],
    [{ customer: null }, 'tags.customer is null; it must be'],
    [{ customer: undefined }, 'tags.customer is undefined; it must be'],
    [{ customer: Number.NaN }, 'tags.customer is NaN; it must be'],
    [{ customer: 'x'.repeat(101) }, 'tags.customer is a text of 101 characters; it must be'],
    [{ customer: 'a\nb' }, 'tags.customer is "a\\nb"; it must be'],
    [{ customer: '\ud800' }, 'tags.customer is'],
    [{ customer: { id: 1 } }, 'tags.customer is {"id":1}; it must be'],
  ])('are refused when they cannot be stored or found: %j', (tags, message) => {
    expect(readTags(tags).problems.join()).toContain(message)
  })
})
