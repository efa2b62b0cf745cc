import { describe, expect, it } from 'vitest'
import { CosmosClient } from '@azure/cosmos'
import {
  ProcessorOptionsError,
  type ChangeFeed,
  type ChangeFeedProcessorOptions,
} from '../../../../src/change-feed-processor/index.js'
import { resolveOptions } from '../../../../src/change-feed-processor/internal.js'
import { leaseModeOf } from '../../../../src/change-feed-processor/options/options.js'
import { systemClock } from '../../../../src/platform/index.js'
import { systemRandom } from '../../../../src/platform/internal.js'

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
  it('R166, R167, R168: have defaults', () => {
    const { onChanges: _delegate, ...options } = required
    expect(resolveOptions(required)).toMatchObject({
      ...options,
      startFrom: 'now',
      maxItemCount: 100,
      pollInterval: { minMs: 100, maxMs: 5_000 },
      restAfterPageMs: 100,
      leaseAcquireIntervalMs: 17_000,
      leaseRenewIntervalMs: 13_000,
      leaseExpirationIntervalMs: 60_000,
      trustMarginMs: 5_000,
      checkpointIntervalMs: 5_000,
      stopTimeoutMs: 30_000,
      minLeases: null,
      maxLeases: null,
      leasesPerFeedRange: 1,
      mode: 'latestVersion',
      checkpoint: 'auto',
      concurrency: 16,
      delegateTimeoutMs: null,
      readTimeoutMs: 65_000,
      failureLimits: { maxAttempts: null, backoff: { minMs: 500, maxMs: 30_000 } },
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
    expect(resolveOptions({ ...required, pollIntervalMs: 5 })).toMatchObject({
      pollInterval: { minMs: 5, maxMs: 5 },
      restAfterPageMs: 5,
    })
    expect(resolveOptions({ ...required, pollIntervalMs: 5_000 }).restAfterPageMs).toBe(100)
  })

  it('keep the intervals and names that are given (B256, B257)', () => {
    const given = {
      instanceName: 'host-7',
      leaseAcquireIntervalMs: 13_000,
      leaseRenewIntervalMs: 11_000,
      leaseExpirationIntervalMs: 45_000,
    }
    expect(resolveOptions({ ...required, ...given })).toMatchObject(given)
  })

  it.each<[string, object, RegExp]>([
    ['leases (B232, B253)', { leaseContainer: undefined }, /^leaseContainer is missing; .*LeaseStore$/],
    ['an instance name (B233)', { instanceName: undefined }, /^instanceName is missing; /],
    ['a feed (B234, B252)', { monitoredContainer: null }, /^monitoredContainer is missing; .*ChangeFeed$/],
    ['a processor name (B251)', { processorName: undefined }, /^processorName is missing; /],
    ['a processor name that is text (B251)', { processorName: 7 }, /^processorName is 7 \(number\); /],
  ])('without %s break a rule, whoever has not been told by a compiler', (_name, given, problem) => {
    expect(problemsOf(given)).toEqual([expect.stringMatching(problem)])
  })

  it('of a feed that no leases could be named after break a rule beside a Container for leases (B235)', () => {
    const monitoredContainer = { readNext: () => 1, physicalRanges: () => 1 } as unknown as ChangeFeed
    expect(problemsOf({ monitoredContainer })).toEqual([
      expect.stringMatching(/^leaseContainer is a Container/),
    ])
  })

  it.each<[Partial<ChangeFeedProcessorOptions<unknown>>, RegExp]>([
    [{ maxItemCount: 0 }, /^maxItemCount is 0; .*1 to 1000$/],
    [{ maxItemCount: 1_001 }, /^maxItemCount is 1001/],
    [{ maxItemCount: 1.5 }, /^maxItemCount is 1.5/],
    [{ pollIntervalMs: { min: 9, max: 8 } }, /^pollIntervalMs is 9 to 8/],
    [{ pollIntervalMs: { min: 0, max: 8 } }, /^pollIntervalMs.min is 0/],
    [{ pollIntervalMs: { min: 1, max: 1.5 } }, /^pollIntervalMs.max is 1.5/],
    [{ leaseRenewIntervalMs: 20_000 }, /^leaseRenewIntervalMs is 20000.*third.*\(60000\)/],
    [{ trustMarginMs: 47_000 }, /^trustMarginMs is 47000/],
    [{ leaseAcquireIntervalMs: 60_000 }, /^leaseAcquireIntervalMs is 60000/],
    [{ checkpointIntervalMs: 20_000 }, /^checkpointIntervalMs is 20000/],
    [{ minLeases: 0 }, /^minLeases is 0; .*at least 1$/],
    [{ maxLeases: 1.5 }, /^maxLeases is 1.5/],
    [{ minLeases: 3, maxLeases: 2 }, /^minLeases is 3; it must not exceed maxLeases \(2\)/],
    [{ leasesPerFeedRange: 257 }, /^leasesPerFeedRange is 257; .*1 to 256$/],
    [{ stopTimeoutMs: -1 }, /^stopTimeoutMs is -1; .*at least 0$/],
    [{ processorName: 'a/b' }, /^processorName is "a\/b"/],
    [{ instanceName: ' ' }, /^instanceName is " "/],
    [{ startFrom: new Date(Number.NaN) }, /^startFrom is an invalid Date/],
    [
      { monitoredContainer: { readNext: () => 1, physicalRanges: () => 1 } as unknown as ChangeFeed },
      /^leaseContainer is a Container/,
    ],
  ])('%j breaks a rule, which is named', (options, problem) => {
    expect(problemsOf(options)).toEqual([expect.stringMatching(problem)])
  })

  const deadLetter = (): void => undefined
  const failurePolicy = { maxAttempts: 3, then: 'deadLetter', deadLetter } as const

  it.each<[object, RegExp]>([
    [{ onChanges: undefined }, /^onChanges is undefined and onChange is undefined; exactly one/],
    [{ onChange: deadLetter }, /^onChanges is function and onChange is function; exactly one/],
    [{ concurrency: 4 }, /^concurrency and orderBy are about onChange/],
    [{ onChanges: undefined, onChange: deadLetter, concurrency: 0 }, /^concurrency is 0; .*1 to 1000$/],
    [{ onChanges: undefined, onChange: deadLetter, orderBy: 'pk' }, /^orderBy is string/],
    [
      { onChanges: undefined, onChange: deadLetter, checkpoint: 'manual' },
      /^checkpoint is "manual" beside onChange/,
    ],
    [{ checkpoint: 'never' }, /^checkpoint is "never"/],
    [{ delegateTimeoutMs: 0 }, /^delegateTimeoutMs is 0/],
    [{ readTimeoutMs: 1.5 }, /^readTimeoutMs is 1.5/],
    [{ failurePolicy: { ...failurePolicy, maxAttempts: 0 } }, /^failurePolicy.maxAttempts is 0/],
    [
      { failurePolicy: { ...failurePolicy, maxAttempts: undefined } },
      /^failurePolicy.maxAttempts is undefined/,
    ],
    [
      { failurePolicy: { ...failurePolicy, backoffMs: { min: 9, max: 8 } } },
      /^failurePolicy.backoffMs is 9 to 8/,
    ],
    [
      { failurePolicy: { ...failurePolicy, backoffMs: { min: 0, max: 8 } } },
      /^failurePolicy.backoffMs.min is 0/,
    ],
    [
      { failurePolicy: { ...failurePolicy, backoffMs: { min: 1, max: 1.5 } } },
      /^failurePolicy.backoffMs.max is 1.5/,
    ],
    [{ failurePolicy: { ...failurePolicy, then: 'skip' } }, /^failurePolicy.then is "skip"/],
    [{ failurePolicy: { ...failurePolicy, deadLetter: 'dead' } }, /^failurePolicy.deadLetter is string/],
    [{ mode: 'everything' }, /^mode is "everything"/],
    [
      { mode: 'allVersionsAndDeletes', startFrom: 'now' },
      /^startFrom is "now" in mode "allVersionsAndDeletes"/,
    ],
  ])('of delivery %j break a rule, which is named', (options, problem) => {
    expect(problemsOf(options)).toEqual([expect.stringMatching(problem)])
  })

  const ofNoKind: readonly unknown[] = [
    Number.NaN,
    1.5,
    10n,
    Symbol('s'),
    '17000',
    {},
    [],
    true,
    new Date(Number.NaN),
  ]

  it.each<[name: string, fitting: (value: unknown) => boolean]>(
    [
      ...['monitoredContainer', 'leaseContainer', 'hints', 'telemetry', 'clock', 'random'],
      ...[
        'maxItemCount',
        'pollIntervalMs',
        'restAfterPageMs',
        'leaseAcquireIntervalMs',
        'leaseRenewIntervalMs',
      ],
      ...['leaseExpirationIntervalMs', 'trustMarginMs', 'checkpointIntervalMs', 'minLeases', 'maxLeases'],
      ...['leasesPerFeedRange', 'stopTimeoutMs', 'delegateTimeoutMs', 'readTimeoutMs', 'mode', 'checkpoint'],
      ...['startFrom', 'failurePolicy', 'unhealthyBecause', 'onLeaseAcquired', 'onLeaseReleased', 'onError'],
      ...['onChange', 'processorName', 'instanceName'],
    ].map((name) => [name, (value) => name.endsWith('Name') && typeof value === 'string']),
  )('%s of another kind is a problem like any other, whatever else is wrong', (name, fitting) => {
    for (const value of ofNoKind) {
      if (fitting(value)) continue
      const problems = problemsOf({ readTimeoutMs: -7, [name]: value })
      const named = problems.map((problem) => problem.split(' ', 1)[0]?.split('.', 1)[0])
      expect(named, String(value)).toContain(name === 'onChange' ? 'onChanges' : name)
      expect(named, String(value)).toContain('readTimeoutMs')
    }
  })

  it.each(['monitoredContainer', 'leaseContainer', 'processorName', 'instanceName'])(
    'must have %s',
    (name) => {
      for (const nothing of [undefined, null])
        expect(problemsOf({ [name]: nothing })).toEqual([
          expect.stringMatching(`^${name} is missing; it must be a`),
        ])
    },
  )

  it('that are null have their defaults', () => {
    const nothing: object = {
      telemetry: null,
      clock: null,
      failurePolicy: null,
      unhealthyBecause: null,
      minLeases: null,
    }
    expect(problemsOf(nothing)).toEqual([])
    expect(problemsOf({ failurePolicy: { ...failurePolicy, deadLetter: null } } as object)).toEqual([
      expect.stringMatching(/^failurePolicy.deadLetter is object/),
    ])
  })

  it('are told without what they have inside: a client knows its key', () => {
    const [problem = ''] = problemsOf({ telemetry: { key: 'secret' } } as object)
    expect(problem).toMatch(/^telemetry is an object of another kind; it must be a Telemetry sink/)
    expect(problem).not.toContain('secret')
  })

  it('may be at their bounds', () => {
    expect(
      problemsOf({
        pollIntervalMs: { min: 8, max: 8 },
        minLeases: 3,
        maxLeases: 3,
        leasesPerFeedRange: 256,
        failurePolicy: { ...failurePolicy, backoffMs: { min: 8, max: 8 } },
      }),
    ).toEqual([])
    expect(problemsOf({ mode: 'allVersionsAndDeletes' } as object)).toEqual([])
  })

  it('say nothing against the health of a processor, unless they are asked to', () => {
    expect(resolveOptions(required).unhealthyBecause()).toBeNull()
    expect(resolveOptions({ ...required, unhealthyBecause: () => 'slow' }).unhealthyBecause()).toBe('slow')
  })

  it('of mode are kept in the words of .NET', () => {
    expect(leaseModeOf('latestVersion')).toBe('Incremental Feed')
    expect(leaseModeOf('allVersionsAndDeletes')).toBe('Full-Fidelity Feed')
  })

  it('of delivery may be a container, or a function, for what cannot be handled', () => {
    expect(problemsOf({ failurePolicy })).toEqual([])
    expect(problemsOf({ failurePolicy: { ...failurePolicy, deadLetter: container } })).toEqual([])
  })

  it('R169: are told everything that is wrong at once', () => {
    expect(
      problemsOf({
        maxItemCount: Number.NaN,
        instanceName: '',
        leaseRenewIntervalMs: 59_000,
        delegateTimeoutMs: -1,
        failurePolicy: { ...failurePolicy, maxAttempts: 0 },
      }),
    ).toHaveLength(6)
    expect(() => resolveOptions({ ...required, instanceName: '', maxItemCount: 0 })).toThrow(
      /maxItemCount[^]*instanceName/,
    )
  })
})
