import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { programOf } from '../../../src/cli/program.js'
import { routes } from '../../../src/page/api/routes.js'
import { commandOf } from '../../../src/page/browser/state/commands.js'
import {
  agoText,
  durationText,
  editLines,
  jsonText,
  momentText,
} from '../../../src/page/browser/state/formats.js'
import { groupedFindings } from '../../../src/page/browser/state/grouped-findings.js'
import { placed } from '../../../src/page/browser/state/graph-layout.js'
import { timelineOf } from '../../../src/page/browser/state/timeline.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

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
    maxFailures: 3,
    completeBy: null,
    notBefore: null,
    dependsOn: [],
    input: null,
    inputTemplate: null,
    output: null,
    event: null,
    outcome: null,
    idempotencyKey: 'k',
    lockedBy: null,
    attention: null,
    mayHaveActed: false,
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
    diagnostics: [],
    audit: [],
    notices: [],
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

describe('the command of an action', () => {
  it.each([
    [{ kind: 'cancel', jobId: 'J-1', why: 'no' }, 'stepward cancel --why no J-1'],
    [{ kind: 'cancel', jobId: 'J-1', why: '' }, 'stepward cancel --why TEXT J-1'],
    [{ kind: 'release', jobId: '-rf', step: 'pay' }, 'stepward release --step pay -- -rf'],
    [
      { kind: 'resubmit', filter: { workflow: 'buying', state: 'Error' }, why: "it's" },
      `stepward resubmit --workflow buying --state Error --why 'it'\\''s'`,
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
  expect(agoText(at(0), 3_000)).toBe('3.0 s ago')
  expect(jsonText('x'.repeat(1_000_000)).length).toBeLessThan(201_000)
})

it('each action of the page is a command of the command line', () => {
  const ending = (): Promise<void> => Promise.resolve()
  const program = programOf({ version: '1', terminal: recordedTerminal().terminal, ending })
  const commands = program.commands.map((command) => command.name())
  const names = routes.flatMap(({ method, path }) => (method === 'POST' ? [path.split('/').at(-1)] : []))
  expect(names.length).toBeGreaterThan(5)
  expect(commands).toEqual(expect.arrayContaining(names))
})
