import { describe, expect, it } from 'vitest'
import { defineAgent, definitionOf, isAgent, type AgentOptions } from '../../../../src/sas/agents/agent.js'
import type { Duration } from '../../../../src/platform/index.js'
import { reference } from '../../../../src/sas/model/values/reference.js'
import { NotPlainDataError } from '../../../../src/sas/model/values/to-template.js'

const hold = (input: { readonly sku: string }): { holdId: string } => ({ holdId: input.sku })
const warehouse = defineAgent('ware-house2', { hold, drop: () => undefined })

describe('an agent', () => {
  it('offers for each handler an operation that binds its input', () => {
    expect(warehouse.hold.actor).toBe('ware-house2')
    expect(warehouse.hold.action).toBe('hold')
    expect(warehouse.hold({ sku: reference<string>(['input', 'sku']) })).toEqual({
      actor: 'ware-house2',
      action: 'hold',
      input: { sku: { $from: ['input', 'sku'] } },
    })
  })

  it('rejects an input that is not JSON, and names its operation', () => {
    const bound = (): unknown => warehouse.hold({ sku: (() => 'x') as unknown as string })
    expect(bound).toThrow(NotPlainDataError)
    expect(bound).toThrow('input of ware-house2.hold.sku is a function')
  })

  it('shows its host its name and its handlers', () => {
    const { name, handlers } = definitionOf(warehouse)
    expect(name).toBe('ware-house2')
    expect([...handlers.keys()]).toEqual(['hold', 'drop'])
    expect(handlers.get('hold')).toBe(hold)
  })

  it('has only its operations as enumerable properties', () => {
    expect(Object.keys(warehouse)).toEqual(['hold', 'drop'])
  })

  it('is distinguished from other values', () => {
    expect(isAgent(warehouse)).toBe(true)
    for (const other of [null, undefined, 'text', {}, { name: 'x', handlers: new Map() }]) {
      expect(isAgent(other)).toBe(false)
    }
  })

  it.each(['', 'Warehouse', '1st', 'ware house', 'ware_house', 'w'.repeat(201)])(
    'cannot have the name %j',
    (name) => {
      expect(() => defineAgent(name, { hold })).toThrow(
        new TypeError(
          `agent ${JSON.stringify(name)}: its name must match /^[a-z][a-z0-9-]*$/ and have at most 200 characters`,
        ),
      )
    },
  )

  it('needs at least one operation, and a function for each', () => {
    expect(() => defineAgent('idle', { hold: 5 as never }, { slot: 1 } as AgentOptions)).toThrow(
      'agent "idle": its operation "hold" must be a function; slot is not an option: did you mean slots?',
    )
    expect(() => defineAgent('idle', {})).toThrow(
      new TypeError('agent "idle": it needs at least one operation'),
    )
  })

  it.each([0, -1, 1.5, Number.NaN])(
    'cannot have %d slots, and is rejected with all its mistakes at once',
    (slots) => {
      expect(() => defineAgent('Idle', {}, { slots })).toThrow(
        `its name must match /^[a-z][a-z0-9-]*$/ and have at most 200 characters; it needs at least one operation; slots is ${slots}; it must be a whole number`,
      )
    },
  )

  it('cannot have zero tries or an invalid back-off (R72)', () => {
    const retry = { tries: 0, backoff: { min: 'soon' as Duration, max: -1 } }
    expect(() => defineAgent('shop', { hold }, { retry })).toThrow(
      'retry.tries is 0; it must be a whole number from 1; retry.backoff.min is "soon"; it must be a duration from 1 ms to 100 years, such as 30000 or \'30s\'; ' +
        'retry.backoff.max is -1; it must be a duration',
    )
    const turned = { tries: 2, backoff: { min: '2s', max: '1s' } }
    expect(() => defineAgent('shop', { hold }, { retry: turned })).toThrow(
      'retry.backoff is 2000 ms to 1000 ms; it must be a range whose min does not exceed its max',
    )
  })

  it('cannot have a circuit breaker with zero failures or an invalid duration', () => {
    const circuitBreaker = { failures: 0, openFor: 'soon' as Duration }
    expect(() => defineAgent('shop', { hold }, { circuitBreaker })).toThrow(
      `circuitBreaker.failures is 0; it must be a whole number from 1; circuitBreaker.openFor is "soon"; it must be a duration`,
    )
  })
})
