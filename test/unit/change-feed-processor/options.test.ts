import { describe, expect, it } from 'vitest'
import { CosmosClient } from '@azure/cosmos'
import {
  ProcessorOptionsError,
  resolveOptions,
  type ChangeFeed,
  type ChangeFeedProcessorOptions,
} from '../../../src/change-feed-processor/index.js'
import { systemClock, systemRandom } from '../../../src/platform/index.js'

const container = new CosmosClient({
  endpoint: 'https://in-process.stepward.invalid',
  key: 'a2V5',
  connectionPolicy: { enableEndpointDiscovery: false, enableBackgroundEndpointRefreshing: false },
})
  .database('shop')
  .container('orders')

const required: ChangeFeedProcessorOptions<unknown> = {
  monitoredContainer: container,
  leaseContainer: container,
  processorName: 'unit',
  instanceName: 'one',
  onChanges: () => undefined,
}

function problemsOf(options: Partial<ChangeFeedProcessorOptions<unknown>>): readonly string[] {
  try {
    resolveOptions({ ...required, ...options })
    return []
  } catch (error) {
    if (error instanceof ProcessorOptionsError) return error.problems
    throw error
  }
}

describe('options', () => {
  it('have defaults', () => {
    const { onChanges: _delegate, ...options } = required
    expect(resolveOptions(required)).toMatchObject({
      ...options,
      startFrom: 'now',
      maxItemCount: 100,
      pollInterval: { minMs: 100, maxMs: 5_000 },
      leaseAcquireIntervalMs: 17_000,
      leaseRenewIntervalMs: 13_000,
      leaseExpirationIntervalMs: 60_000,
      trustMarginMs: 5_000,
      checkpointIntervalMs: 5_000,
      stopTimeoutMs: 30_000,
      hints: null,
      telemetry: { during: expect.any(Function) as unknown },
      clock: systemClock,
      random: systemRandom,
    })
    expect(Object.isFrozen(resolveOptions(required))).toBe(true)
  })

  it('shrink what depends on a short expiration', () => {
    const short = { leaseAcquireIntervalMs: 400, leaseRenewIntervalMs: 300, leaseExpirationIntervalMs: 1_000 }
    expect(resolveOptions({ ...required, ...short })).toMatchObject({
      trustMarginMs: 83,
      checkpointIntervalMs: 83,
    })
  })

  it('take a fixed poll interval', () => {
    expect(resolveOptions({ ...required, pollIntervalMs: 5 }).pollInterval).toEqual({ minMs: 5, maxMs: 5 })
  })

  it.each<[Partial<ChangeFeedProcessorOptions<unknown>>, RegExp]>([
    [{ maxItemCount: 0 }, /^maxItemCount is 0; .*1 to 1000$/],
    [{ maxItemCount: 1_001 }, /^maxItemCount is 1001/],
    [{ maxItemCount: 1.5 }, /^maxItemCount is 1.5/],
    [{ pollIntervalMs: { min: 9, max: 8 } }, /^pollIntervalMs is 9 to 8/],
    [{ leaseRenewIntervalMs: 20_000 }, /^leaseRenewIntervalMs is 20000.*third.*\(60000\)/],
    [{ trustMarginMs: 47_000 }, /^trustMarginMs is 47000/],
    [{ leaseAcquireIntervalMs: 60_000 }, /^leaseAcquireIntervalMs is 60000/],
    [{ checkpointIntervalMs: 20_000 }, /^checkpointIntervalMs is 20000/],
    [{ stopTimeoutMs: -1 }, /^stopTimeoutMs is -1; .*at least 0$/],
    [{ processorName: 'a/b' }, /^processorName is "a\/b"/],
    [{ instanceName: ' ' }, /^instanceName is " "/],
    [{ startFrom: new Date(Number.NaN) }, /^startFrom is an invalid Date/],
    [{ monitoredContainer: { readNext: 1 } as unknown as ChangeFeed }, /^leaseContainer is a Container/],
  ])('%j breaks a rule, which is named', (options, problem) => {
    expect(problemsOf(options)).toEqual([expect.stringMatching(problem)])
  })

  it('are told everything that is wrong at once', () => {
    expect(
      problemsOf({ maxItemCount: Number.NaN, instanceName: '', leaseRenewIntervalMs: 59_000 }),
    ).toHaveLength(4)
    expect(() => resolveOptions({ ...required, instanceName: '', maxItemCount: 0 })).toThrow(
      /maxItemCount[^]*instanceName/,
    )
  })
})
