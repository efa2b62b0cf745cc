import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { knownDecisions, noneText } from '../../../src/page/browser/state/audit-pages.js'
import { commandOf, costCommand } from '../../../src/page/browser/state/commands.js'
import {
  agoText,
  durationText,
  editLines,
  jsonText,
  lengthText,
  momentText,
  untilText,
  withMoments,
} from '../../../src/page/browser/state/formats.js'
import { fleetOf } from '../../../src/page/browser/state/fleet.js'
import { groupedFindings } from '../../../src/page/browser/state/grouped-findings.js'
import { heatOf, heatRows, withLook } from '../../../src/page/browser/state/heat.js'
import { paceOf, shareText, withEnds } from '../../../src/page/browser/state/pace.js'
import { isLineWith, withChanges } from '../../../src/page/browser/state/tail.js'
import { isWithin, matches, unseenText, withUnseen } from '../../../src/page/browser/state/job-filters.js'
import { lookOf, placed } from '../../../src/page/browser/state/graph-layout.js'
import { barsOf, decisionsOf, timelineOf } from '../../../src/page/browser/state/timeline.js'

type Job = Parameters<typeof timelineOf>[0]
type Step = Job['steps'][number]

const at = (seconds: number): string => new Date(seconds * 1_000).toISOString()

function aStep(parts: Partial<Step> & Pick<Step, 'stepId'>): Step {
  return {
    kind: 'operation',
    actor: 'bank',
    action: 'pay',
    direction: 'do',
    state: 'Pending',
    attempt: 0,
    failureCount: 0,
    round: null,
    collect: null,
    progress: null,
    maxFailures: 3,
    completeBy: null,
    startedAt: null,
    endedAt: null,
    changedAt: null,
    notBefore: null,
    dependsOn: [],
    input: null,
    inputTemplate: null,
    output: null,
    event: null,
    asks: false,
    question: null,
    outcome: null,
    idempotencyKey: 'k',
    lockedBy: null,
    attention: null,
    mayHaveActed: false,
    undo: null,
    previous: null,
    cost: { writes: 1, charge: 5 },
    diagnostics: [],
    ...parts,
  }
}

function aJob(parts: Partial<Job>): Job {
  return {
    jobId: 'J-1',
    orderId: 'J-1',
    partitionKey: 'J-1',
    workflow: 'buying',
    workflowVersion: 1,
    state: 'Processing',
    why: 'The scheduler decides what follows.',
    priority: 0,
    lockedBy: null,
    submittedAt: at(0),
    endedAt: null,
    completeBy: null,
    generation: 1,
    input: null,
    attention: null,
    advice: null,
    compensation: null,
    paused: null,
    triage: null,
    restartedAs: null,
    restartOf: null,
    result: null,
    tags: {},
    diagnostics: [],
    intervals: [],
    audit: [],
    notices: [],
    cost: { writes: 1, charge: 5 },
    steps: [],
    ...parts,
  }
}

describe('the groups of findings', () => {
  const notRunning = {
    rule: 'notRunning',
    severity: 'hint',
    observation: 'no instance runs: 1 lease is free',
    advice: 'start an instance: it continues from the stored positions',
  } as const

  it('name every processor of equal findings once, in the order of the findings', () => {
    const lone = { ...notRunning, rule: 'noTtl', severity: 'problem', processorName: null } as const
    const two = { ...notRunning, observation: 'no instance runs: 2 leases are free' }
    expect(
      groupedFindings([
        { ...notRunning, processorName: 'a' },
        lone,
        { ...two, processorName: 'b' },
        { ...notRunning, processorName: 'c' },
      ]),
    ).toEqual([
      { ...notRunning, processorNames: ['a', 'c'] },
      { ...notRunning, rule: 'noTtl', severity: 'problem', processorNames: [] },
      { ...two, processorNames: ['b'] },
    ])
  })
})

describe('the pace of jobs', () => {
  const ended = (jobId: string, from: number, to: number | null) =>
    ({
      ...{ jobId, orderId: jobId, partitionKey: jobId, workflow: 'buying', state: 'Processed' as const },
      ...{ submittedAt: at(from), endedAt: to === null ? null : at(to), stepsDone: 1, stepCount: 1 },
      ...{ attention: null, triage: null, tags: {}, paused: null, restartedAs: null },
    }) as const

  it('is counted once for each end, of the last minutes, from the submission to the end', () => {
    const first = withEnds([], [ended('old', 0, 1), ended('a', 590, 600), ended('b', 600, null)], 600_000)
    expect(first.map(({ tookMs }) => tookMs)).toEqual([10_000])
    const again = withEnds(first, [ended('a', 590, 600), ended('b', 600, 602), ended('c', 600, 640)], 640_000)
    expect(paceOf(again, 640_000, 610_000)).toEqual({
      ended: 3,
      perSecond: 0.1,
      p50Ms: 10_000,
      p95Ms: 40_000,
      meanSteps: 1,
    })
    const none = { ended: 0, perSecond: 0, p50Ms: null, p95Ms: null, meanSteps: null }
    expect(paceOf([], 640_000, 610_000)).toEqual(none)
  })
})

describe('a changed job', () => {
  const job = {
    ...{ jobId: 'Ring-1', orderId: 'O-7', partitionKey: 'p', workflow: 'buying', state: 'Error' as const },
    ...{
      submittedAt: at(0),
      endedAt: null,
      stepsDone: 1,
      stepCount: 1,
      paused: null,
      triage: null,
      restartedAs: null,
    },
    ...{ tags: { customer: '4711' }, attention: null },
  }

  it.each([
    [{}, true],
    [{ state: 'Error', workflow: 'buying', tag: 'customer=4711', text: 'ring' }, true],
    [{ text: 'o-7' }, true],
    [{ text: 'rings' }, false],
    [{ tag: 'customer=471' }, false],
    [{ state: 'Processed' }, false],
    [{ attention: 'true' }, false],
    [{ step: 'pay' }, false],
    [{ waitingFor: 'retry' }, false],
    [{ agent: 'bank' }, false],
    [{ until: '1h' }, false],
    [{ took: '1h' }, false],
  ])('is new in a list of %j: %s', (filter: Record<string, string>, isNew) => {
    expect(matches(job, filter)).toBe(isNew)
  })
})

describe('the heat of lags', () => {
  it('grows with the lag, and keeps the newest looks of each lease', () => {
    expect([undefined, 0, 1, 9, 10, 60, 500, 5_000].map(heatOf)).toEqual([0, 0, 1, 1, 2, 3, 4, 5])
    const lease = { processorName: 'agents', leaseToken: '0' }
    let looks = withLook([], [], 0)
    for (let second = 1; second <= 70; second += 1) {
      looks = withLook(looks, [{ ...lease, estimatedLag: second, owner: 'a' }], second)
    }
    expect(heatRows(looks)).toMatchObject([
      { key: 'agents 0', cells: { length: 60, 0: { lag: 11 }, 59: { lag: 70 } }, most: 70, handOvers: 0 },
    ])
  })

  it('marks the looks at which a lease had another owner than before', () => {
    const lease = { processorName: 'agents', leaseToken: '0', estimatedLag: 0 }
    const owners = ['a', 'a', null, 'a', 'b', null, 'c']
    const looks = owners.reduce<ReturnType<typeof withLook>>(
      (seen, owner, second) => withLook(seen, [{ ...lease, owner }], second),
      [],
    )
    const [row] = heatRows(looks)
    expect(row?.cells.map(({ newOwner }) => newOwner)).toEqual([null, null, null, null, 'b', null, 'c'])
    expect(row?.handOvers).toBe(2)
  })
})

describe('the tail', () => {
  const job = {
    ...{ jobId: 'J-1', orderId: 'J-1', partitionKey: 'J-1', workflow: 'buying', state: 'Error' as const },
    ...{
      submittedAt: at(0),
      endedAt: null,
      stepsDone: 1,
      stepCount: 2,
      tags: {},
      paused: null,
      triage: null,
      restartedAs: null,
    },
    attention: { kind: 'error', since: at(1), by: 'scheduler', message: 'no money', stepId: 'pay' },
  }

  it('has the newest change first, keys that never repeat, and a limit', () => {
    const step = { jobId: 'J-1', partitionKey: 'J-1', stepId: 'pay', state: 'Error' }
    let lines = withChanges([], { jobs: [job], steps: [step], isCut: true }, at(0))
    expect(lines.map(({ what, more }) => [what, more])).toEqual([
      ['more changes than are shown', ''],
      ['job of buying', 'error: no money'],
      ['step pay', ''],
    ])
    expect(lines.filter((line) => isLineWith(line, ' NO MONEY'))).toHaveLength(1)
    for (let count = 0; count < 600; count += 1) {
      lines = withChanges(lines, { jobs: [job], steps: [], isCut: false }, at(count))
    }
    expect(new Set(lines.map(({ key }) => key)).size).toBe(500)
  })
})

it('the cost has the command that computes it', () => {
  expect(costCommand({ steps: '', jobsPerDay: '' })).toBe('stepward cost')
  expect(costCommand({ steps: '5', documentKb: '2.5', jobsPerDay: '100' })).toBe(
    'stepward cost --steps 5 --document-kb 2.5 --jobs-per-day 100',
  )
})

describe('the decisions of several pages', () => {
  const row = (id: string, second: number) => ({
    at: at(second),
    by: 'ada',
    command: 'cancel',
    why: 'no',
    about: 'job' as const,
    id,
    partitionKey: id,
    workflow: 'buying',
    stepId: null,
    target: null,
  })

  it('are in order, and older ones wait for the page where others may be before them', () => {
    const first = { rows: [row('a', 9), row('a', 2)], next: at(9) }
    const ids = (pages: Parameters<typeof knownDecisions>[0]) =>
      knownDecisions(pages).map(({ id, at: time }) => `${id} ${time.slice(17, 19)}`)
    expect(ids([first])).toEqual(['a 09'])
    expect(ids([first, { rows: [row('b', 5)], next: at(5) }])).toEqual(['a 09', 'b 05'])
    expect(ids([first, { rows: [row('b', 5), row('b', 1)], next: null }])).toEqual([
      'a 09',
      'b 05',
      'a 02',
      'b 01',
    ])
  })
})

describe('the fleet', () => {
  const lease = {
    processorName: 'stepward-agents',
    leaseToken: '0',
    owner: 'a',
    isExpired: false,
    version: '1.0.0',
    continuationToken: null,
    renewedAt: at(0),
    ageMs: 5_000,
    requestedBy: null,
    clockOffsetMs: null,
    isClockWrong: false,
    agents: null,
    notRead: null,
  }

  it('is the owners of leases with their roles, versions and newest renewal', () => {
    const { instances, free, versions } = fleetOf([
      { ...lease, owner: 'b', version: null },
      lease,
      { ...lease, leaseToken: '1', ageMs: 2_000, isExpired: true },
      { ...lease, processorName: 'stepward-scheduler', version: '1.1.0', owner: 'c', ageMs: null },
      { ...lease, leaseToken: '2', owner: null, version: null },
    ])
    expect(instances).toMatchObject([
      { name: 'a', version: '1.0.0', leaseCount: 2, expired: 1, renewedMs: 2_000, oldestMs: 5_000 },
      { name: 'b', version: null, processors: [{ name: 'stepward-agents' }] },
      { name: 'c', version: '1.1.0', renewedMs: null },
    ])
    expect(free.map(({ leaseToken }) => leaseToken)).toEqual(['2'])
    expect(versions).toEqual(['1.0.0', '1.1.0'])
  })

  it('has the slots, circuits and clock that the newest renewal tells', () => {
    const { instances } = fleetOf([
      {
        ...lease,
        renewedAt: at(3),
        agents: { slots: 8, busy: 2, openCircuits: ['bank'], limited: [] },
        clockOffsetMs: 400,
      },
      {
        ...lease,
        renewedAt: at(9),
        processorName: 'stepward-scheduler',
        clockOffsetMs: -30_000,
        isClockWrong: true,
      },
      { ...lease, renewedAt: at(1), agents: { slots: 8, busy: 7, openCircuits: [], limited: [] } },
    ])
    expect(instances).toMatchObject([
      {
        agents: { busy: 2, openCircuits: ['bank'], limited: [] },
        clock: { isRight: false, text: "Its clock is 30 s behind the store's." },
        leaseCount: 3,
      },
    ])
  })

  it('says nothing of an unknown clock, and that a right one agrees', () => {
    expect(fleetOf([lease]).instances).toMatchObject([{ clock: null }])
    expect(fleetOf([{ ...lease, clockOffsetMs: 900 }]).instances).toMatchObject([
      { clock: { isRight: true, text: 'Its clock agrees with the store.' } },
    ])
  })
})

describe('the command of an action', () => {
  it.each([
    [{ kind: 'cancel', jobId: 'J-1', why: 'no' }, 'stepward cancel --why no J-1'],
    [{ kind: 'cancel', jobId: 'J-1', why: '' }, 'stepward cancel --why TEXT J-1'],
    [
      { kind: 'pause', jobId: 'J-1', why: 'the bank is down' },
      `stepward pause --why 'the bank is down' job J-1`,
    ],
    [{ kind: 'resume', jobId: '-rf' }, 'stepward resume -- job -rf'],
    [{ kind: 'release', jobId: '-rf', step: 'pay' }, 'stepward release --step pay -- -rf'],
    [
      { kind: 'resubmit', filter: { workflow: 'buying', state: 'Error' }, why: "it's" },
      `stepward resubmit --workflow buying --state Error --why 'it'\\''s'`,
    ],
    [
      { kind: 'cancel', filter: { waitingFor: 'retry', text: '-x', tag: 'a=b c', took: '2h' }, why: 'w' },
      `stepward cancel --waiting-for retry --text=-x --tag 'a=b c' --took 2h --why w`,
    ],
    [{ kind: 'resend', filter: {}, storeArguments: ['--data', 'a b'] }, `stepward resend --all --data 'a b'`],
    [
      { kind: 'raise', jobId: 'J-1', step: 'signature', input: '{ "by": 1 }' },
      `printf %s '{"by":1}' > input.json && stepward raise --payload input.json J-1 signature`,
    ],
    [
      { kind: 'submit', workflow: 'buying', input: '{}' },
      `printf %s '{}' | stepward submit buying - --workflows MODULE`,
    ],
    [
      { kind: 'submit', workflow: 'buying', input: '{}', fields: { tag: 'a=1\nb=x y\n', priority: '3' } },
      `printf %s '{}' | stepward submit buying - --workflows MODULE --tag=a=1 --tag='b=x y' --priority=3`,
    ],
    [
      { kind: 'submit', workflow: 'counting', input: '{}', jobId: 'J 1' },
      `printf %s '{}' | stepward submit counting - --workflows MODULE --job-id='J 1'`,
    ],
    [
      {
        kind: 'schedule backfill',
        schedule: 'nightly',
        why: 'late',
        fields: { from: '2026-01-01 12:00Z', to: '' },
      },
      `stepward schedule backfill --from '2026-01-01 12:00Z' --to TIME --why late nightly`,
    ],
    [
      { kind: 'schedule delete', schedule: '-x', why: 'over' },
      'stepward schedule delete --why over --yes -- -x',
    ],
  ] as const)('%j is written as a person would write it', (action, command) => {
    expect(commandOf(action as unknown as Parameters<typeof commandOf>[0])).toBe(command)
  })

  it('a hostile id, reason and payload stay single words of the shell', async () => {
    const hostile = `$(touch hacked) \`touch hacked\` "'; touch hacked #\n\\`
    const words = { kind: 'resubmit', jobId: hostile, step: hostile, why: hostile } as const
    const command = commandOf({
      ...words,
      input: JSON.stringify(hostile),
      storeArguments: ['--data', hostile],
    })
    const folder = await mkdtemp(join(tmpdir(), 'stepward-words-'))
    try {
      const script = `stepward() { for word; do printf '%s\\0' "$word"; done; }\n${command}\nls\ncat input.json`
      const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: folder })
      const given = ['--step', hostile, '--input', 'input.json', '--why', hostile, '--data', hostile, hostile]
      expect(stdout).toBe(`resubmit\0${given.join('\0')}\0input.json\n${JSON.stringify(hostile)}`)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('an edited input', () => {
  it('is a line for each change, and one for those that are left out', () => {
    const change = { stepId: 'pay', path: 'input.amount', before: '7', after: null }
    expect(editLines({ changes: [change], others: 2 })).toEqual([
      'pay input.amount: 7 → nothing',
      'and 2 other changes',
    ])
    expect(editLines({ changes: [{ ...change, before: null, after: '8' }], others: 0 })).toEqual([
      'pay input.amount: nothing → 8',
    ])
    expect(editLines({ changes: [], others: 0 })).toEqual(['the new input is the same as the old one'])
    expect(editLines(undefined)).toEqual([])
  })
})

describe('the timeline of a job', () => {
  it('lists what the documents record, the oldest first', () => {
    const job = aJob({
      endedAt: at(9),
      state: 'Compensated',
      audit: [{ command: 'cancel', stepId: null, at: at(5), by: 'ada', why: 'withdrawn' }],
      compensation: { since: at(6), by: 'scheduler', reason: 'withdrawn', thenRetry: false },
      steps: [
        aStep({
          stepId: 'pay',
          outcome: { kind: 'success', at: at(3), by: 'agent' },
          diagnostics: [{ at: at(2), by: 'agent', attempt: 1, message: 'busy' }],
        }),
      ],
    })
    expect(timelineOf(job).map(({ what }) => what)).toEqual([
      'submitted',
      'attempt 1 failed',
      'done',
      'cancel by ada',
      'undo began',
      'ended Compensated',
    ])
  })
})

describe('the job of a restart', () => {
  const restartOf = { jobId: 'J-0', from: 'pay', at: at(360), by: 'ada', why: 'new card' }
  const done = (second: number) => ({ kind: 'success', at: at(second), by: 'agent' })
  const diagnostics = [{ at: at(1), by: 'agent', attempt: 1, message: 'busy' }]
  const job = aJob({
    submittedAt: at(360),
    restartOf,
    audit: [{ command: 'pause', stepId: null, at: at(365), by: 'eve', why: 'wait' }],
    steps: [
      aStep({ stepId: 'reserve', diagnostics, outcome: done(2) }),
      aStep({ stepId: 'pay', outcome: done(370) }),
    ],
  })

  it('begins its timeline with the restart, and says which steps were taken over', () => {
    expect(timelineOf(job).map(({ at: time, what, stepId }) => [time, what, stepId])).toEqual([
      [at(360), 'restart of J-0 from step pay by ada', null],
      [at(360), 'taken over: done', 'reserve'],
      [at(365), 'pause by eve', null],
      [at(370), 'done', 'pay'],
    ])
    expect(timelineOf(job)[0]?.detail).toBe('new card')
  })

  it('lists the restart before the later decisions', () => {
    expect(decisionsOf(job).map(({ what, by, why }) => [what, by, why])).toEqual([
      ['restart of J-0 from step pay', 'ada', 'new card'],
      ['pause', 'eve', 'wait'],
    ])
    expect(decisionsOf(aJob({}))).toEqual([])
  })
})

describe('the timeline of an undo', () => {
  const undone = aStep({
    stepId: 'pay',
    direction: 'undo',
    outcome: { kind: 'success', at: at(8), by: 'agent' },
    diagnostics: [2, 7].map((second) => ({ at: at(second), by: 'agent', attempt: 1, message: 'busy' })),
  })
  const ended = {
    endedAt: at(9),
    state: 'Compensated',
    compensation: { since: at(6), by: 'ada', reason: 'withdrawn', thenRetry: false },
    steps: [undone],
  } as const
  const textsOf = (job: Partial<Job>) => timelineOf(aJob(job)).map(({ what }) => what)

  it('marks the attempts after its beginning as attempts of the undo', () => {
    const moments = ['submitted', 'attempt 1 failed', 'undo began', 'undo, attempt 1 failed', 'undone']
    expect(textsOf({ ...ended, steps: [...ended.steps] })).toEqual([...moments, 'ended Compensated'])
  })

  it('is missing if another job owns the undo, and the later state is not that of the end', () => {
    const restartedAs = { jobId: 'J-1.r1', from: 'pay' }
    const steps = [aStep({ stepId: 'pay', outcome: { kind: 'success', at: at(3), by: 'agent' } })]
    expect(textsOf({ ...ended, steps, restartedAs })).toEqual(['submitted', 'done', 'ended'])
  })
})

describe('the bars of a job', () => {
  const interval = {
    stepId: 'pay',
    kind: 'operator',
    from: at(10),
    to: null,
    what: 'needs an operator: error',
    isExact: true,
  } as const
  const job = aJob({ endedAt: at(10), intervals: [interval], steps: [aStep({ stepId: 'pay' })] })
  const now = Date.parse(at(40))

  it('go on while a failed job waits for its operator, and end when any other job ends', () => {
    const failed = barsOf({ ...job, state: 'Error' }, now)
    expect([failed.isOpen, failed.endMs]).toEqual([true, now])
    expect(failed.rows[0]?.bars[0]).toMatchObject({ left: 25, width: 75 })
    expect(failed.rows[0]?.texts).toEqual([{ what: interval.what, length: 'for 30 s' }])
    const over = barsOf(
      { ...job, state: 'Compensated', intervals: [{ ...interval, from: at(5), to: at(8) }] },
      now,
    )
    expect([over.isOpen, over.endMs]).toEqual([false, Date.parse(at(10))])
  })
})

describe('the graph of a job', () => {
  it('places each step after the steps that it waits for', () => {
    const steps = [
      { stepId: 'a', dependsOn: [] },
      { stepId: 'b', dependsOn: ['a'] },
      { stepId: 'c', dependsOn: ['a', 'missing'] },
    ]
    const { nodes, edges } = placed(steps, 'LR')
    const [a, b, c] = nodes
    expect(edges.map(({ from, to }) => `${from}-${to}`)).toEqual(['a-b', 'a-c'])
    expect(b?.x).toBeGreaterThan(a?.x ?? Infinity)
    expect(c?.x).toBe(b?.x)
    expect(c?.y).not.toBe(b?.y)
    const below = placed(steps, 'TB').nodes
    expect(below[1]?.y).toBeGreaterThan(below[0]?.y ?? Infinity)
  })
})

it.each<[string, (number: number) => string[]]>([
  ['after one', () => ['step-0']],
  ['in a row', (number) => [`step-${number - 1}`]],
  [
    'in layers',
    (number) => (number < 32 ? [] : [`step-${number - 32}`, `step-${(number * 7) % (number - 31)}`]),
  ],
])(
  '1,000 steps %s are placed beside each other, each behind those that it waits for, without delay',
  (_how, before) => {
    const steps = Array.from({ length: 1_000 }, (_, number) => ({
      stepId: `step-${number}`,
      dependsOn: number === 0 ? ['missing'] : before(number),
    }))
    const began = performance.now()
    const { nodes, edges, width, height } = placed(steps, 'LR')
    // It takes about 10 ms here, and took a second before.
    expect(performance.now() - began).toBeLessThan(500)
    const places = new Map(nodes.map((node) => [node.stepId, node]))
    expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(1_000)
    expect(nodes.filter(({ x, y }) => x < 96 || y < 32 || x > width - 96 || y > height - 32)).toEqual([])
    const ahead = edges.filter(({ from, to }) => (places.get(from)?.x ?? 0) >= (places.get(to)?.x ?? 0))
    expect(ahead).toEqual([])
    expect(edges.length).toBeGreaterThanOrEqual(960)
  },
)

it('the times in a sentence of the server are those of the page, and the names in it stay', () => {
  const text = 'Job tick@1970-01-01T00:00:05Z sleeps until 1970-01-01T00:01:00Z, since 1970-01-02T00:00:00Z.'
  expect(withMoments(text, 0)).toBe(
    'Job tick@1970-01-01T00:00:05Z sleeps until 00:01:00Z, since 1970-01-02 00:00:00Z.',
  )
})

it('times, ages and long values are short texts', () => {
  expect(momentText(at(5), 10_000)).toBe('00:00:05Z')
  expect(momentText(at(5), 90_000_000)).toBe('1970-01-01 00:00:05Z')
  expect([5, 1_500, 90_000, 7_200_000, 200_000_000].map(durationText)).toEqual([
    '5 ms',
    '1.5 s',
    '1 min',
    '2 h',
    '2 d',
  ])
  expect(durationText(null)).toBe('?')
  expect([90_000, 5_400_000, 86_400_000, 7].map(lengthText)).toEqual(['90s', '90m', '1d', '7ms'])
  expect([untilText(at(0), 1), untilText(at(90), 0)]).toEqual(['now', 'in 1 min'])
  const [hour, day] = [3_600, 86_400]
  expect([hour, 1.5 * hour, day + hour - 1, 2 * day].map((seconds) => untilText(at(seconds), 0))).toEqual([
    'in 1 h',
    'in 1 h 30 min',
    'in 1 d',
    'in 2 d',
  ])
  expect(untilText(at(day + 5 * hour), 0)).toBe('in 1 d 5 h')
  expect(agoText(at(0), 3_000)).toBe('3.0 s ago')
  expect(jsonText('x'.repeat(1_000_000)).length).toBeLessThan(201_000)
})

describe('the new jobs of a list that stays open', () => {
  it('are counted once each', () => {
    const two = withUnseen(withUnseen(new Set(), ['a']), ['a', 'b'])
    expect(unseenText(two)).toBe('2 new jobs')
    expect(withUnseen(two, ['b'])).toBe(two)
  })

  it('are remembered up to a limit, after which the same set stays', () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `job-${index}`)
    const full = withUnseen(withUnseen(new Set(), keys.slice(0, 900)), keys)
    expect(full.size).toBe(1_000)
    expect(unseenText(full)).toBe('1,000 new jobs or more')
    expect(withUnseen(full, ['another'])).toBe(full)
  })
})

it.each([
  ['newer than the last job shown', '2026-01-03', 'more', true],
  ['as old as the last job shown', '2026-01-02', 'more', true],
  ['older, so it is on a later page', '2026-01-01', 'more', false],
  ['older, but there are no more pages', '2026-01-01', null, true],
])(
  'a job that is %s belongs to the part of the list that is shown: %s, %s, %s',
  (_, submittedAt, next, is) => {
    const last = { submittedAt: '2026-01-02' }
    expect(isWithin({ submittedAt } as never, { jobs: [last as never], next })).toBe(is)
  },
)

it('the use of a throughput names the busiest hour only if the time has hours', () => {
  const minute = 60_000
  expect(shareText(1.027, 11 * minute)).toBe(
    'The last 11 min use 102.7 % of the provisioned throughput, more than there is.',
  )
  expect(shareText(0.9, 90 * minute)).toBe(
    'The busiest hour uses 90 % of the provisioned throughput: little is left.',
  )
})

it('the length of a bar whose beginning is not recorded is the longest possible one', () => {
  const one = { stepId: 'pay', kind: 'running', from: at(0), to: at(37), what: 'attempt 1 done' }
  const textsOf = (isExact: boolean) =>
    barsOf(aJob({ intervals: [{ ...one, isExact }], steps: [aStep({ stepId: 'pay' })] }), 60_000).rows[0]
      ?.texts
  expect(textsOf(false)).toEqual([{ what: 'attempt 1 done', length: 'at most 37 s' }])
  expect(textsOf(true)).toEqual([{ what: 'attempt 1 done', length: '37 s' }])
})

it('an audit in which nothing matches says whether older decisions were searched', () => {
  expect(noneText('', false, 0)).toBe('No operator has decided anything.')
  expect(noneText('ada', false, 7)).toBe('No decision matches.')
  expect(noneText('ada', true, 100)).toBe(
    'None of the newest 100 decisions matches. Older ones were not searched yet.',
  )
})

it('the plan tells a parked step from one that waits, and a failed undo from a failed step', () => {
  const attention = { kind: 'parked', since: at(0), by: 'a', message: '', stepId: 'pay' }
  const parked = aStep({ stepId: 'pay', failureCount: 2, attention })
  expect(lookOf(parked)).toMatchObject({ isHeld: true, said: 'Pending, parked', failures: ', failed 2×' })
  expect(lookOf(aStep({ stepId: 'pay' }))).toMatchObject({ isHeld: false, said: 'Pending', failures: '' })
  const undone = aStep({ stepId: 'pay', state: 'Error', direction: 'undo', failureCount: 2 })
  expect(lookOf(undone).failures).toBe(', undo failed 2×')
})
