import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { check } from '../../../src/cli/commands/operations/check.js'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { jobCharge } from '../../../src/sas/internal.js'
import type { CheckReport } from '../../../src/operations/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const module = fileURLToPath(new URL('./checked-module.ts', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'check-'))
afterAll(() => {
  rmSync(directory, { recursive: true })
})

it('prints the plan, what it adds up to, and every problem', async () => {
  const { terminal: narrow, said } = recordedTerminal()
  const terminal = { ...narrow, tableWidth: 140 }
  expect(await check(module, {}, terminal)).toBe(1)
  const text = said()
  expect(text.split('\n')).toEqual([
    'workflow buy, version 1: 6 steps',
    expect.stringMatching(/^ {2}approve +asks people +7 d$/),
    expect.stringMatching(
      /^ {4}charge +shop\.charge +3 × 1 min +if equal\(approve\.output, true\), undo shop\.refund, limit input\.tenant \(2 at once\)$/,
    ),
    expect.stringMatching(/^ {6}cool-down +sleeps +2 d$/),
    expect.stringMatching(/^ {6}track +shop\.track +3 × 1 min, 10 rounds$/),
    expect.stringMatching(/^ {2}tell +elsewhere\.tell +3 × 1 min$/),
    expect.stringMatching(/^ {2}run +older\.run +3 × 1 min$/),
    '  limit of its jobs: input.tenant (3 jobs at once)',
    '  if every attempt fails at its deadline: at most 9 d 3 min, and 3 min to undo it; waits at limits are not counted',
    expect.stringMatching(
      /^ {2}a job without faults: \d+(\.\d)? RU in one process, \d+(\.\d)? RU with the roles apart, without the lines below$/,
    ),
    '  each further round of track: 69.3 RU in one process, 103 RU with the roles apart',
    '',
    'schedule nightly submits jobs of buy',
    '',
    'problem: workflow buy: step run: agent older has no operation run, it has stop',
    'warning: agent elsewhere is not in this module: export it, or another process must run elsewhere.tell',
    'warning: agent unused is called by no workflow of this module',
    'warning: workflow buy: its sleeps alone take as long as completeWithin',
    '1 problem, 3 warnings',
  ])
})

it('prints the same as JSON', async () => {
  const { terminal: narrow, said } = recordedTerminal()
  const terminal = { ...narrow, tableWidth: 140 }
  await check(module, { json: true }, terminal)
  const report = JSON.parse(said()) as CheckReport
  expect(report.workflows[0]).toMatchObject({
    name: 'buy',
    longestMs: 9 * 86_400_000 + 180_000,
    undoMs: 180_000,
    limits: [{ key: 'input.tenant', atOnce: 3, perSecond: null, burst: null, perPartition: false }],
  })
  // The job comes to one limit, and its step "charge" to another. The question has a document from the beginning, and the steps
  // "charge", "cool-down" and "track" have documents during their first attempts.
  const question = { steps: 6, claimedSteps: 0, documentKilobytes: 1.1, partitions: 1, instances: 1 }
  const shape = { ...question, limits: 2, isLimitedFirst: true, storedSteps: 1, documentedSteps: 3 } as const
  const cost = jobCharge({ ...shape, indexing: 'lean', isTogether: true, hasNotifier: true })
  expect(report.workflows[0]?.charge.together).toBeCloseTo(cost, 1)
  expect(report.workflows[0]?.steps.map(({ id, kind }) => [id, kind])).toContainEqual(['approve', 'ask'])
  expect(report.problems).toHaveLength(1)
})

it('shows the items of a large list as jobs, and checks what they call', async () => {
  const list = fileURLToPath(new URL('./checked-list.ts', import.meta.url))
  const { terminal: narrow, said } = recordedTerminal()
  expect(await check(list, {}, { ...narrow, tableWidth: 140 })).toBe(1)
  expect(said().split('\n')).toEqual([
    'workflow nightly, version 1: 2 steps',
    expect.stringMatching(/^ {2}each +item for each item +40 at once$/),
    expect.stringMatching(/^ {4}report +clerk\.report +3 × 1 min +limit desk \(1 at once, per partition\)$/),
    '  limit of its jobs: lists (2 jobs at once)',
    '  limit of its jobs: runs (1 job at once, per partition)',
    '  if every attempt fails at its deadline: as long as its items take; waits at limits are not counted',
    expect.stringMatching(/RU with the roles apart, without the lines below$/),
    '  each item of each: 156.9 RU in one process, 206.4 RU with the roles apart',
    '',
    'problem: workflow item: step tell: agent clerk has no operation tell, it has settle, report',
    'warning: workflow nightly: step each: if the key of a limit of its items, input.name, is lists of the job, the job and its items wait for each other without end; give the items other keys',
    '1 problem, 1 warning',
  ])
})

it.each([
  ['missing.mjs', null, /missing\.mjs does not exist/],
  [
    'empty.mjs',
    'export const nothing = 1',
    /exports no workflow, agent or schedule: export what defineWorkflow/,
  ],
  ['broken.mjs', 'export const = 1', /could not be loaded: .*run "node .*" to see where/s],
])('refuses %s with one message', async (name, code, message) => {
  const path = join(directory, name)
  if (code !== null) writeFileSync(path, code)
  const { terminal } = recordedTerminal()
  const error: unknown = await check(path, {}, terminal).catch((caught: unknown) => caught)
  expect(String(error)).toMatch(message)
  expect(exitCodeOf(error)).toBe(2)
})

it('shows the steps for the items of a list in one line', async () => {
  const items = fileURLToPath(new URL('./checked-items.ts', import.meta.url))
  const { terminal: narrow, said } = recordedTerminal()
  expect(await check(items, {}, { ...narrow, tableWidth: 140 })).toBe(0)
  expect(said().split('\n').slice(0, 6)).toEqual([
    'workflow packing, version 1: 16 steps',
    expect.stringMatching(/^ {2}pack-0 to pack-11 +packer\.pack +3 × 1 min +if input\.items has the item$/),
    expect.stringMatching(/^ {4}pack +gathers$/),
    expect.stringMatching(/^ {2}check-1 +packer\.pack +3 × 1 min$/),
    expect.stringMatching(/^ {2}check-2 +packer\.pack +1 × 1 min$/),
    expect.stringMatching(/^ {4}seal +packer\.pack +3 × 1 min$/),
  ])
})
