import { describe, expect, it } from 'vitest'
import { matches, patternProblem } from '../../../../src/sas/plan/pattern.js'

describe('a pattern', () => {
  it('has at most 200 characters', () => {
    expect(patternProblem('a'.repeat(200))).toBeNull()
    expect(patternProblem('a'.repeat(201))).toBe('the pattern has 201 characters; at most 200 are allowed')
  })

  it('has at most 1,000 instructions', () => {
    expect(patternProblem('a{900}')).toBeNull()
    expect(patternProblem('a{998}')).toBeNull()
    expect(patternProblem('a{999}')).toMatch(/repeats too much/u)
  })

  it('that is not valid matches nothing', () => {
    expect([matches('(', '('), matches('', '(?=a)')]).toEqual([false, false])
    expect([matches('a', 'a'), matches('b', 'a')]).toEqual([true, false])
  })
})
