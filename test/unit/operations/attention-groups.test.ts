import { expect, it } from 'vitest'
import { attentionGroups } from '../../../src/operations/attention-groups.js'
import type { Attention, JobSummary } from '../../../src/sas/index.js'

function job(jobId: string, attention: Partial<Attention> | null, workflow = 'orders'): JobSummary {
  const flag = { kind: 'error', since: '2026-01-01', by: 's', message: 'm', stepId: 'pay' } as const
  return {
    jobId,
    orderId: jobId,
    partitionKey: jobId,
    workflow,
    state: 'Error',
    submittedAt: '',
    endedAt: null,
    stepsDone: 0,
    stepCount: 1,
    tags: {},
    triage: null,
    paused: null,
    restartedAs: null,
    attention: attention === null ? null : { ...flag, ...attention },
  }
}

it('jobs with the same problem form a group, sorted by size, with the oldest time (R117, F-V18)', () => {
  const groups = attentionGroups(
    [
      job('well', null),
      job('x', { kind: 'parked' }),
      job('a', { message: 'product 12: 3 units requested, "abc" missing', since: '2026-01-03' }),
      job('b', { message: 'product 7: 19 units requested, "de" missing', since: '2026-01-02' }),
      job('c', { message: 'the bank is closed' }),
    ],
    [],
  )
  expect(groups.map(({ jobIds }) => jobIds)).toEqual([['a', 'b'], ['x'], ['c']])
  expect(groups[0]).toMatchObject({
    since: '2026-01-02',
    message: 'product 12: 3 units requested, "abc" missing',
    command: expect.stringMatching(
      /^stepward resubmit --workflow orders --step pay --cause [\da-f]{12} --why TEXT$/,
    ) as string,
  })
})

it.each<[Attention['kind'], string]>([
  ['error', 'stepward resubmit a --why TEXT'],
  ['compensationFailed', 'stepward resubmit a --why TEXT'],
  ['corrupt', 'stepward status a --json'],
  ['parked', 'stepward release a'],
  ['extendedWait', 'stepward release a'],
  ['unclaimed', 'stepward leases'],
  ['unanswered', 'stepward answer a pay --answer JSON'],
  ['escalated', 'stepward answer a pay --answer JSON'],
])('a job whose flag is %s gets the command that helps (R114)', (kind, command) => {
  expect(attentionGroups([job('a', { kind })], [])).toMatchObject([{ kind, command }])
})

it('the questions of several jobs are listed, and the id of one job is quoted for a shell', () => {
  const asks = (jobId: string) => job(jobId, { kind: 'unanswered' })
  expect(attentionGroups([asks('a'), asks('b')], [])).toMatchObject([{ command: 'stepward inbox' }])
  const quoted = "stepward answer 'a b' pay --answer JSON"
  expect(attentionGroups([asks('a b')], [])).toMatchObject([{ command: quoted }])
  const ofJob = job('a', { kind: 'unanswered', stepId: null })
  expect(attentionGroups([ofJob], [])).toMatchObject([{ command: 'stepward inbox' }])
})

it('notices to an unreachable receiver form a group, which lists their jobs', () => {
  const notice = {
    partitionKey: 'p',
    workflow: 'orders',
    kind: 'finished',
    receiver: 'https://shop.example',
    at: '',
    resends: [],
  } as const
  const message = 'https://shop.example answered 503'
  const notices = [
    { ...notice, jobId: 'a', seq: 1, since: '2026-01-02', message },
    { ...notice, jobId: 'a', seq: 2, since: '2026-01-03', message },
    { ...notice, jobId: 'b', seq: 1, since: '2026-01-01', message },
  ]
  const ofOrders = /^stepward resend --workflow orders --cause [\da-f]{12}$/
  expect(attentionGroups([], notices)).toMatchObject([
    {
      kind: 'notify',
      since: '2026-01-01',
      jobIds: ['a', 'b'],
      command: expect.stringMatching(ofOrders) as string,
    },
  ])
})

it('an unreadable job forms a group with a quoted id and no advice to remove it', () => {
  const since = '2026-01-01'
  const unreadable = {
    jobId: "it's",
    partitionKey: 'p',
    documentId: 'sas.job:A',
    workflow: 'orders',
    since,
    reason: 'why',
  }
  const [group] = attentionGroups([], [], [unreadable])
  expect(group).toMatchObject({
    kind: 'unreadable',
    message: 'document sas.job:A cannot be read: why',
    command: "stepward status 'it'\\''s'",
  })
  expect(group?.advice).not.toMatch(/remove|delete/)
})

it('a suggested command leaves out the jobs that the list does not show', () => {
  const jobs = [job('a', {}), job('b', {})]
  const shown = { filter: { tags: { customer: '47 11' } }, assignee: 'ann', onlySnoozed: false }
  const hidden = [job('c', {})]
  expect(attentionGroups(jobs, [], [], { ...shown, hidden })).toMatchObject([
    {
      command: expect.stringMatching(
        /^stepward resubmit --workflow orders --step pay --cause \w+ --tag 'customer=47 11' --assignee ann --not-snoozed --why TEXT$/,
      ) as string,
    },
  ])
  const others = { filter: {}, onlySnoozed: false, hidden: [job('c', { stepId: 'ship' })] }
  expect(attentionGroups(jobs, [], [], others)[0]?.command).not.toContain('snoozed')
})

it('a suggested command has every filter of the list that chose the jobs', () => {
  const filter = { text: 'a b', waitingFor: 'retry', agent: 'bank', tookAtLeast: '2h' } as const
  const [group] = attentionGroups([job('a', {}), job('b', {})], [], [], {
    filter,
    onlySnoozed: false,
    hidden: [],
  })
  expect(group?.command).toMatch(/ --text 'a b' --waiting-for retry --agent bank --took 2h --why TEXT$/)
})

it('groups with different causes have different names of causes, and a group keeps its name', () => {
  const causes = (...jobs: JobSummary[]): (string | undefined)[] =>
    attentionGroups(jobs, []).map(({ command }) => /--cause (\w+)/.exec(command)?.[1])
  const pair = (parts: Partial<Attention>, workflow?: string): JobSummary[] => [
    job('a', parts, workflow),
    job('b', parts, workflow),
  ]
  const different = [
    pair({ message: 'the card is refused' }),
    pair({ message: 'the bank is closed' }),
    pair({ kind: 'compensationFailed', message: 'the card is refused' }),
    pair({ stepId: 'ship', message: 'the card is refused' }),
    pair({ message: 'the card is refused' }, 'returns'),
  ]
  expect(new Set(causes(...different.flat())).size).toBe(different.length)
  expect(causes(...pair({ message: 'card 1 is refused' }))).toEqual(
    causes(...pair({ message: 'card 2 is refused' })),
  )
})
