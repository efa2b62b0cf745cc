import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../../../../samples/orders/services/command-line.js'

describe('parseCommandLine', () => {
  it('has a default for everything', () => {
    expect(parseCommandLine([])).toEqual({
      port: 0,
      stockPath: undefined,
      unlistedUnits: 500,
      seed: 1,
      faults: 'some',
    })
  })

  it('reads every option', () => {
    const args = '--port 8090 --stock stock.json --unlisted-units 0 --seed 42 --faults many'.split(' ')
    expect(parseCommandLine(args)).toEqual({
      port: 8_090,
      stockPath: 'stock.json',
      unlistedUnits: 0,
      seed: 42,
      faults: 'many',
    })
  })

  it('reports every problem at once', () => {
    const args = '--port 65536 --unlisted-units 1.5 --seed one --faults toString'.split(' ')
    expect(parseCommandLine(args)).toEqual({
      problems: [
        "--port must be a whole number from 0 to 65535, got '65536'",
        "--unlisted-units must be a whole number from 0 to 1000000000, got '1.5'",
        "--seed must be a whole number from 0 to 9007199254740991, got 'one'",
        "--faults must be none, some or many, got 'toString'",
      ],
    })
    expect(parseCommandLine(['--seed', ''])).toHaveProperty('problems')
  })

  it('reports an unknown option', () => {
    expect(parseCommandLine(['--sead', '1'])).toEqual({ problems: [expect.stringContaining('--sead')] })
  })
})
