import { describe, expect, it } from 'vitest'
import { CosmosClient } from '@azure/cosmos'
import type { ChangeFeed, ChangeFeedProcessorOptions } from '../../../../src/change-feed-processor/index.js'
import {
  leaseModeOf,
  readProcessorOptions,
  type ProcessorInternals,
  type ResolvedOptions,
} from '../../../../src/change-feed-processor/options/options.js'
import { systemClock } from '../../../../src/platform/index.js'
import { systemRandom } from '../../../../src/platform/internal.js'

const container = new CosmosClient({
  endpoint: 'https://127.0.0.1',
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
  return readProcessorOptions({ ...required, ...options }).problems
}

function resolved(options: object = {}, internals: ProcessorInternals = {}): ResolvedOptions {
  return readProcessorOptions({ ...required, ...options }, internals).options
}

describe('options', () => {
  it('have defaults (R166, R167, R168)', () => {
    const { onChanges: _delegate, ...options } = required
    expect(resolved()).toMatchObject({
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
      failureLimits: { tries: null, backoff: { minMs: 500, maxMs: 30_000 } },
      hints: null,
      telemetry: { during: expect.any(Function) as unknown },
      clock: systemClock,
      random: systemRandom,
    })
    expect(Object.isFrozen(resolved())).toBe(true)
  })

  it('have a smaller trust margin and checkpoint interval with a short lease expiration', () => {
    const short = { leaseAcquireInterval: 400, leaseRenewInterval: 300, leaseExpirationInterval: 1_000 }
    expect(resolved(short)).toMatchObject({
      trustMarginMs: 83,
      checkpointIntervalMs: 83,
    })
  })

  it('accept one duration as a fixed poll interval', () => {
    expect(resolved({ pollInterval: '5ms' })).toMatchObject({
      pollInterval: { minMs: 5, maxMs: 5 },
      restAfterPageMs: 5,
    })
    expect(resolved({ pollInterval: 5_000 }).restAfterPageMs).toBe(100)
    expect(resolved({}, { restAfterPageMs: 7 }).restAfterPageMs).toBe(7)
  })

  it('keep the intervals and names that are given (B256, B257)', () => {
    const given = {
      instanceName: 'host-7',
      leaseAcquireInterval: '13s',
      leaseRenewInterval: 11_000,
      leaseExpirationInterval: '0.75m',
    }
    expect(resolved(given)).toMatchObject({
      instanceName: 'host-7',
      leaseAcquireIntervalMs: 13_000,
      leaseRenewIntervalMs: 11_000,
      leaseExpirationIntervalMs: 45_000,
    })
  })

  it.each<[string, object, RegExp]>([
    ['leases (B232, B253)', { leaseContainer: undefined }, /^leaseContainer is missing; .*LeaseStore$/],
    ['an instance name (B233)', { instanceName: undefined }, /^instanceName is missing; /],
    ['a feed (B234, B252)', { monitoredContainer: null }, /^monitoredContainer is null; .*ChangeFeed$/],
    ['a processor name (B251)', { processorName: undefined }, /^processorName is missing; /],
    ['a processor name that is text (B251)', { processorName: 7 }, /^processorName is 7; /],
  ])('without %s are rejected at run time', (_name, given, problem) => {
    expect(problemsOf(given)).toEqual([expect.stringMatching(problem)])
  })

  it('with a feed that is not a Container are rejected beside a Container for leases (B235)', () => {
    const monitoredContainer = { readNext: () => 1, physicalRanges: () => 1 } as unknown as ChangeFeed
    expect(problemsOf({ monitoredContainer })).toEqual([
      expect.stringMatching(/^leaseContainer is a Container/),
    ])
  })

  it.each<[Partial<ChangeFeedProcessorOptions<unknown>>, RegExp]>([
    [{ maxItemCount: 0 }, /^maxItemCount is 0; .*1 to 1000$/],
    [{ maxItemCount: 1_001 }, /^maxItemCount is 1001/],
    [{ maxItemCount: 1.5 }, /^maxItemCount is 1.5/],
    [{ pollInterval: { min: 9, max: 8 } }, /^pollInterval is 9 ms to 8 ms/],
    [{ pollInterval: { min: 0, max: 8 } }, /^pollInterval.min is 0/],
    [{ pollInterval: { min: 1, max: 'x' } }, /^pollInterval.max is "x"/],
    [{ leaseRenewInterval: 30_001 }, /^leaseRenewInterval is 30001 ms.*half.*\(60000 ms\)/],
    [{ trustMarginMs: 47_000 } as object, /^trustMarginMs is not an option: the options are /],
    [{ pollIntervalMs: 5 } as object, /^pollIntervalMs is not an option: did you mean pollInterval\?/],
    [{ clock: systemClock } as object, /^clock is not an option/],
    [{ leaseAcquireInterval: 60_000 }, /^leaseAcquireInterval is 60000/],
    [{ checkpointInterval: 20_000 }, /^checkpointInterval is 20000/],
    [{ minLeases: 0 }, /^minLeases is 0; .*from 1$/],
    [{ maxLeases: 1.5 }, /^maxLeases is 1.5/],
    [{ minLeases: 3, maxLeases: 2 }, /^minLeases is 3; it must not exceed maxLeases \(2\)/],
    [{ leasesPerFeedRange: 257 }, /^leasesPerFeedRange is 257; .*1 to 256$/],
    [{ stopTimeout: -1 }, /^stopTimeout is -1; .*from 0 ms/],
    [{ processorName: 'a/b' }, /^processorName is "a\/b"/],
    [{ instanceName: ' ' }, /^instanceName is " "/],
    [{ startFrom: new Date(Number.NaN) }, /^startFrom is an invalid Date/],
    [
      { monitoredContainer: { readNext: () => 1, physicalRanges: () => 1 } as unknown as ChangeFeed },
      /^leaseContainer is a Container/,
    ],
  ])('are rejected with the rule that %j breaks', (options, problem) => {
    expect(problemsOf(options)).toEqual([expect.stringMatching(problem)])
  })

  it.each<[string, object]>([
    ['a lower bound of leases alone', { minLeases: 3 }],
    ['an upper bound of leases alone', { maxLeases: 3 }],
    ['equal bounds of leases', { minLeases: 3, maxLeases: 3 }],
    ['a start at the beginning', { startFrom: 'beginning' }],
    ['a start at a time', { startFrom: new Date(0) }],
    ['a telemetry sink', { telemetry: { emit: () => undefined } }],
    [
      'a feed and a store of leases',
      {
        monitoredContainer: { readNext: () => 1, physicalRanges: () => 1 },
        leaseContainer: { initialization: {}, list: () => [] },
      },
    ],
  ])('may have %s', (_name, options) => {
    expect(problemsOf(options)).toEqual([])
  })

  it.each([null, 5, { list: () => [] }, { initialization: {} }])(
    'are rejected if the store of leases is %j',
    (leaseContainer) => {
      expect(problemsOf({ leaseContainer } as object)).toEqual([expect.stringMatching(/^leaseContainer is /)])
    },
  )

  const deadLetter = (): void => undefined
  const retry = { tries: 3 }
  const failurePolicy = { retry, then: 'deadLetter', deadLetter } as const

  it.each<[object, RegExp]>([
    [{ onChanges: undefined }, /^onChanges is missing and onChange is missing; pass exactly one/],
    [{ onChange: deadLetter }, /^onChanges is a function and onChange is a function; pass exactly one/],
    [{ concurrency: 4 }, /^concurrency and orderBy apply only to onChange/],
    [{ onChanges: undefined, onChange: deadLetter, concurrency: 0 }, /^concurrency is 0; .*1 to 1000$/],
    [
      { onChanges: undefined, onChange: deadLetter, orderBy: 'pk' },
      /^orderBy is "pk"; it must be a function from/,
    ],
    [
      { onChanges: undefined, onChange: deadLetter, checkpoint: 'manual' },
      /^checkpoint is "manual", but onChange always/,
    ],
    [{ checkpoint: 'never' }, /^checkpoint is "never"/],
    [{ delegateTimeout: 0 }, /^delegateTimeout is 0/],
    [{ failurePolicy: { ...failurePolicy, retry: { tries: 0 } } }, /^failurePolicy.retry.tries is 0/],
    [
      { failurePolicy: { ...failurePolicy, retry: undefined } },
      /^failurePolicy.retry is missing; it must be an object with tries, backoff/,
    ],
    [{ failurePolicy: { ...failurePolicy, retry: {} } }, /^failurePolicy.retry.tries is missing/],
    [
      { failurePolicy: { ...failurePolicy, maxAttempts: 3 } },
      /^failurePolicy.maxAttempts is not an option: the options are retry, then, deadLetter/,
    ],
    [
      { failurePolicy: { ...failurePolicy, retry: { tries: 3, backoff: { min: 9, max: 8 } } } },
      /^failurePolicy.retry.backoff is 9 ms to 8 ms/,
    ],
    [
      { failurePolicy: { ...failurePolicy, retry: { tries: 3, backoff: { min: 0, max: 8 } } } },
      /^failurePolicy.retry.backoff.min is 0/,
    ],
    [
      { failurePolicy: { ...failurePolicy, retry: { tries: 3, backoff: { min: 1, max: [] } } } },
      /^failurePolicy.retry.backoff.max is \[\]/,
    ],
    [{ failurePolicy: { ...failurePolicy, then: 'skip' } }, /^failurePolicy.then is "skip"/],
    [{ failurePolicy: { ...failurePolicy, deadLetter: 'dead' } }, /^failurePolicy.deadLetter is "dead"/],
    [{ mode: 'everything' }, /^mode is "everything"/],
    [
      { mode: 'allVersionsAndDeletes', startFrom: 'now' },
      /^startFrom is "now"; omit it, .* "allVersionsAndDeletes"/,
    ],
  ])('of delivery are rejected with the rule that %j breaks', (options, problem) => {
    expect(problemsOf(options)).toEqual([expect.stringMatching(problem)])
  })

  const ofNoKind: readonly unknown[] = [
    Number.NaN,
    -1.5,
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
      ...['monitoredContainer', 'leaseContainer', 'telemetry'],
      ...['maxItemCount', 'pollInterval', 'leaseAcquireInterval', 'leaseRenewInterval'],
      ...['leaseExpirationInterval', 'checkpointInterval', 'minLeases', 'maxLeases'],
      ...['leasesPerFeedRange', 'stopTimeout', 'delegateTimeout', 'mode', 'checkpoint'],
      ...['startFrom', 'failurePolicy', 'unhealthyReason', 'onLeaseAcquired', 'onLeaseReleased', 'onError'],
      ...['onChange', 'processorName', 'instanceName'],
    ].map((name) => [name, (value) => name.endsWith('Name') && typeof value === 'string']),
  )('are rejected for %s of a wrong type, together with any other problem', (name, fitting) => {
    for (const value of ofNoKind) {
      if (fitting(value)) continue
      const problems = problemsOf({ maxItemCount: -7, [name]: value })
      const named = problems.map((problem) => problem.split(' ', 1)[0]?.split('.', 1)[0])
      expect(named, String(value)).toContain(name)
      expect(named, String(value)).toContain('maxItemCount')
    }
  })

  it.each(['monitoredContainer', 'leaseContainer', 'processorName', 'instanceName'])(
    'must include %s',
    (name) => {
      for (const nothing of [undefined, null])
        expect(problemsOf({ [name]: nothing })).toEqual([
          expect.stringMatching(`^${name} is (missing|null); it must be a`),
        ])
    },
  )

  it('that are null have their defaults, unless they are required', () => {
    const nothing: object = {
      telemetry: null,
      failurePolicy: null,
      unhealthyReason: null,
      minLeases: null,
    }
    expect(problemsOf(nothing)).toEqual([])
    expect(problemsOf({ failurePolicy: { ...failurePolicy, deadLetter: null } } as object)).toEqual([
      expect.stringMatching(/^failurePolicy.deadLetter is null/),
    ])
  })

  it('appear in problems without their content, which may include a key', () => {
    const [problem = ''] = problemsOf({ telemetry: { key: 'secret' } } as object)
    expect(problem).toMatch(/^telemetry is an object; it must be a Telemetry sink/)
    expect(problem).not.toContain('secret')
  })

  it('may be at their bounds', () => {
    expect(
      problemsOf({
        pollInterval: { min: 8, max: 8 },
        minLeases: 3,
        maxLeases: 3,
        leasesPerFeedRange: 256,
        failurePolicy: { retry: { tries: 3, backoff: { min: 8, max: 8 } }, then: 'deadLetter', deadLetter },
      }),
    ).toEqual([])
    expect(problemsOf({ mode: 'allVersionsAndDeletes' } as object)).toEqual([])
  })

  it('leave a processor healthy unless `unhealthyReason` gives a reason', () => {
    expect(resolved().unhealthyReason()).toBeNull()
    expect(resolved({ unhealthyReason: () => 'slow' }).unhealthyReason()).toBe('slow')
  })

  it('for the mode are stored in leases in the words of .NET', () => {
    expect(leaseModeOf('latestVersion')).toBe('Incremental Feed')
    expect(leaseModeOf('allVersionsAndDeletes')).toBe('Full-Fidelity Feed')
  })

  it('for delivery allow a function or a container as dead letter', () => {
    expect(problemsOf({ failurePolicy })).toEqual([])
    expect(problemsOf({ failurePolicy: { ...failurePolicy, deadLetter: container } })).toEqual([])
  })

  it('are rejected with all problems at once (R169)', () => {
    expect(
      problemsOf({
        maxItemCount: Number.NaN,
        instanceName: '',
        leaseRenewInterval: 59_000,
        delegateTimeout: -1,
        failurePolicy: { ...failurePolicy, retry: { tries: 0 } },
      }),
    ).toHaveLength(5)
  })
})
