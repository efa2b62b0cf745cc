import { describe, expect, it } from 'vitest'
import {
  conceal,
  concealIn,
  hiddenAt,
  hiddenInTemplate,
  hiddenText,
  secretTexts,
  secretTextsInTemplate,
} from '../../../../../src/sas/model/values/hidden.js'

describe('a hidden value', () => {
  it('has a text in place of each secret part, and null where there is no value yet', () => {
    const value = {
      card: { number: 1, name: 'x' },
      lines: [
        { code: 'a', n: 1 },
        { code: null, n: 2 },
      ],
      rest: 5,
    }
    const paths = [
      ['card', 'number'],
      ['lines', '*', 'code'],
      ['missing', 'part'],
    ]
    expect(hiddenAt(value, paths)).toEqual({
      card: { number: hiddenText, name: 'x' },
      lines: [
        { code: hiddenText, n: 1 },
        { code: null, n: 2 },
      ],
      rest: 5,
    })
    expect(hiddenAt(value, [[]])).toBe(hiddenText)
    expect(hiddenAt(value, [])).toBe(value)
  })

  it('in a template keeps a reference, which is no value, and is hidden in a literal and a whole payload', () => {
    const ticket = { $payload: { id: 'p', hash: 'h', bytes: 3, at: [] } }
    const template = {
      a: { $from: ['input', 'card'] },
      b: { $literal: { $from: 'x' } },
      c: ticket,
      d: ticket,
    }
    expect(hiddenInTemplate(template, [['a'], ['b', '$from'], ['c', 'part']])).toEqual({
      a: { $from: ['input', 'card'] },
      b: { $literal: { $from: hiddenText } },
      c: hiddenText,
      d: ticket,
    })
  })

  it('is also hidden in texts, unless it is very short: as text, as JSON, as a number and as a name', () => {
    const texts = secretTexts({ a: 'say "hi"', b: { c: 12345, d: 'yes' }, e: 'open' }, [['a'], ['b']])
    expect(texts).toEqual(['say "hi"', '12345'])
    expect(conceal('he did say "hi" 12345 times, yes', texts)).toBe(
      `he did ${hiddenText} ${hiddenText} times, yes`,
    )
    expect(conceal(JSON.stringify({ a: 'say "hi"' }), texts)).toBe(`{"a":"${hiddenText}"}`)
    expect(concealIn({ list: [12345, 1, true, null], 'no 12345': 'x' }, texts)).toEqual({
      list: [hiddenText, 1, true, null],
      [`no ${hiddenText}`]: 'x',
    })
  })

  it('that looks like a reference is data, except in a template', () => {
    const value = { card: { $from: ['ZQX-1'], $literal: 'ZQX-2' }, other: { $from: ['input'] } }
    expect(hiddenAt(value, [['card']])).toEqual({ card: hiddenText, other: value.other })
    expect(hiddenAt(value, [['card', '$from']]).card.$from).toBe(hiddenText)
    expect(secretTexts(value, [['card']])).toEqual(['ZQX-1', 'ZQX-2'])
    expect(secretTexts({ $literal: { card: 'ZQX-3' } }, [['card']])).toEqual([])
    expect(secretTextsInTemplate({ $literal: { card: 'ZQX-3', $from: 'x' } }, [['card']])).toEqual(['ZQX-3'])
    expect(secretTextsInTemplate({ card: { $from: ['input', 'card'] } }, [['card']])).toEqual([])
  })

  it('that is true, false, null or a short number is no text, and stays in messages', () => {
    const value = { vip: true, pin: null, not: false, short: 42, long: 4242, text: 'true' }
    const texts = secretTexts(value, [[]])
    expect(texts).toEqual(['4242', 'true'])
    expect(secretTexts({ ...value, text: 'x' }, [['*']])).toEqual(['4242'])
    expect(hiddenAt(value, [['vip'], ['short']])).toMatchObject({ vip: hiddenText, short: hiddenText })
  })

  it('hides a longer secret before a shorter one that it contains', () => {
    expect(conceal('a token-1 and a token', ['token', 'token-1'])).toBe(`a ${hiddenText} and a ${hiddenText}`)
  })
})
