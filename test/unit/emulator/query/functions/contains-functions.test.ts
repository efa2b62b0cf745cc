import { describe, expect, it } from 'vitest'
import { rowsOf, rowsWith } from './rows-of.js'

/** The documented calls: the arguments after the text, and the results in the order of the four names. */
const documented = [
  ['"have", "nice", "day!"', true, false, true, true],
  ['"HAVE", "NICE", "DAY!"', true, false, true, false],
  ['"had", "nice", "day!"', false, false, true, true],
  ['undefined, "nice", "day!"', undefined, undefined, true, true],
  ['undefined, "had"', false, false, undefined, undefined],
] as const

const names = ['CONTAINS_ALL_CI', 'CONTAINS_ALL_CS', 'CONTAINS_ANY_CI', 'CONTAINS_ANY_CS']

describe.each(names.map((name, index) => [name, index] as const))('%s', (name, index) => {
  it.each(documented)('has the documented result for %s', (parts, ...results) => {
    expect(rowsOf(`${name}("Have a nice day!", ${parts})`)).toEqual(rowsWith(results[index]))
  })

  it('has the same result under the name that the .NET client sends', () => {
    const call = '("Have a nice day!", "NICE")'
    expect(rowsOf(`${name.replaceAll('_', '')}${call}`)).toEqual(rowsOf(`${name}${call}`))
  })

  it('is undefined for a text that is not a string', () => {
    expect(rowsOf(`${name}(5, "5")`)).toEqual([])
  })
})
