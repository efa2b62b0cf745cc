import { describe, expect, it } from 'vitest'
import { leaseCallMs } from '../../../src/change-feed-processor/lease-holding/lease-call-timeout.js'
import { readProcessorOptions } from '../../../src/change-feed-processor/options/options.js'
import type { ProcessorTiming } from '../../../src/sas/index.js'
import { roleTiming } from '../../../src/sas/unit-settings.js'

describe('the intervals of a role', () => {
  it.each<[ProcessorTiming | undefined, number]>([
    [undefined, 30_000],
    [{ leaseExpirationInterval: '41s' }, 20_500],
    [{ leaseExpirationInterval: '2m', pollInterval: 20 }, 60_000],
  ])('with %j renew leases at half of the expiration, after %d ms (R129)', (timing, renewMs) => {
    expect(roleTiming(timing)).toEqual({ ...timing, leaseRenewInterval: renewMs })
  })

  it('keep a renewal interval that is given', () => {
    expect(roleTiming({ leaseRenewInterval: '13s' })).toEqual({ leaseRenewInterval: '13s' })
  })

  it('are refused with every problem', () => {
    expect(() => roleTiming({ leaseExpirationInterval: 'soon' })).toThrow(/leaseExpirationInterval is "soon"/)
  })

  it.each<[ProcessorTiming, number]>([
    [{}, 6_500],
    [roleTiming(), 6_250],
  ])('with %j let a call to the lease container hang at most %d ms (F-L9)', (timing, limitMs) => {
    const { options } = readProcessorOptions(timing as Parameters<typeof readProcessorOptions>[0])
    expect(leaseCallMs(options)).toBe(limitMs)
    // Four renewals may hang, one after another, before the lease is no longer trusted.
    const { leaseRenewIntervalMs, leaseExpirationIntervalMs, trustMarginMs } = options
    expect(leaseRenewIntervalMs + 4 * limitMs).toBeLessThanOrEqual(leaseExpirationIntervalMs - trustMarginMs)
  })
})
