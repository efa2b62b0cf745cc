import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import { CommandInvalid } from '../../../../src/sas/model/errors.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import type { Job } from '../../../../src/sas/client/job.js'
import type { HistoryMoment } from '../../../../src/sas/client/history/job-history.js'
import type { JobQueries, VersionsRead } from '../../../../src/sas/store/job-queries.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { leaseToken, together } from '../../../support/one-process.js'
import { StateWorld } from '../../../support/state-world.js'

const going = { signal: new AbortController().signal }

const refused = new Set(['stolen', 'lapsed-77'])
let failures = 0
const bank = defineAgent('bank', {
  pay: ({ card }: { readonly card: string }, context: AgentContext): unknown => {
    failures -= 1
    if (failures >= 0) throw new Error(`the line is down for ${card}`)
    return refused.has(card) ? context.failPermanently(`${card} is refused`) : { receipt: `r-${card}` }
  },
})

const buying = defineWorkflow<{ readonly card: string }>('buying', (job) => {
  const pay = job.step('pay', bank.pay, { card: job.input.card }, { undo: 'none' })
  job.step('again', bank.pay, { card: 'second' }, { undo: 'none', after: [pay] })
})

const secret = defineWorkflow<{ readonly card: string }>(
  'secret',
  (job) => void job.step('pay', bank.pay, { card: job.input.card }, { undo: 'none' }),
  { secrets: ['input.card', 'steps.pay.output.receipt'] },
)

let world: StateWorld
let client: JobClient

function open(retentionMinutes?: number): void {
  world = new StateWorld(retentionMinutes === undefined ? {} : { retentionMinutes })
  client = clientOn(world.queries)
}

function clientOn(queries: JobQueries): JobClient {
  const { store, clock, telemetry } = world
  return new JobClient({ store, queries, clock, telemetry })
}

beforeEach(() => {
  failures = 0
  open(60)
})

/** Passes changes to all roles until nothing changes, and lets pauses between attempts pass. */
async function settle(): Promise<void> {
  const [scheduler, supervisor] = [world.scheduler(), world.supervisor()]
  const agents = world.agents({ agents: [bank] })
  for (let rest = 0; rest < 3;) {
    const page = await world.changes()
    await scheduler.onChanges(page)
    await agents.onChanges(page, going)
    await agents.stop(1_000)
    if (page.length > 0) {
      rest = 0
      continue
    }
    await world.clock.advance(61_000)
    await supervisor.runOnce()
    rest += 1
  }
}

async function wholeHistory(job: Job, limit = 100): Promise<HistoryMoment[]> {
  const moments: HistoryMoment[] = []
  for (let after: string | null = ''; after !== null;) {
    const page = await job.history({ ...(after === '' ? {} : { after }), limit })
    expect(page).toMatchObject({ source: 'versions', note: null })
    moments.push(...page.moments)
    after = page.next
  }
  return moments
}

const words = (moments: readonly HistoryMoment[]): string[] =>
  moments.flatMap(({ by, changes }) =>
    changes.map(
      ({ stepId, what }) => `${stepId ?? 'job'}: ${what.join('; ')}${by === null ? '' : ` [${by}]`}`,
    ),
  )

describe('the history of a job', () => {
  it('tells each transaction in order: submission, dispatches, failed attempts, outcomes and the end', async () => {
    failures = 1
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await settle()
    expect((await job.view()).state).toBe('Processed')
    const told = words(await wholeHistory(job)).join('\n')
    expect(told).toMatch(/^job: submitted: workflow buying with 2 steps\n/)
    const order = [
      'pay: attempt 1 dispatched to bank.pay',
      'pay: attempt 1 failed: “the line is down for first”',
      'pay: attempt 2 dispatched to bank.pay',
      'pay: attempt 2 succeeded; state Processing → Processed [agents-1]',
      'pay is Processed (was Processing)',
      'again: attempt 1 succeeded',
      'state Processing → Processed; ended, after',
    ].map((text) => told.indexOf(text))
    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((one, other) => one - other))
    expect(told).toContain('[scheduler-1]')
  })

  it('says that a host gave an attempt back when it stopped', async () => {
    const slow = defineAgent('bank', { pay: () => new Promise(() => undefined) })
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await world.scheduler().onChanges(await world.changes())
    const agents = world.agents({ agents: [slow] })
    await agents.onChanges(await world.changes(), { ...going, wasHeldAt: () => true })
    const stopped = agents.stop(0)
    await world.clock.advance(1_000)
    await stopped
    await settle()
    const told = words(await wholeHistory(job))
    expect(told).toContainEqual('pay: attempt 1 given back by its host; state Processing → Pending')
    expect(told.filter((line) => line.includes('given back'))).toHaveLength(1)
    const { attempts } = await job.attempts('pay')
    expect(attempts).toMatchObject([{ attempt: 1, outcome: 'success' }])
  })

  it('says that a host gave an attempt back that only its job had', async () => {
    const slow = defineAgent('bank', { pay: () => new Promise(() => undefined) })
    const { scheduler, agents } = together(world, [slow])
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await scheduler.onChanges(await world.changes(), { leaseToken })
    const stopped = agents.stop(0)
    await world.clock.advance(1_000)
    await stopped
    await settle()
    expect(words(await wholeHistory(job))).toContainEqual(
      'pay: attempt 1 given back by its host; state Processing → Pending [one]',
    )
  })

  it('is the same page by page, and shows the documents before and after each moment', async () => {
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await settle()
    const [whole, paged] = [await wholeHistory(job, 500), await wholeHistory(job, 1)]
    expect(paged).toEqual(whole)
    const ending = whole.at(-1)
    const { documents } = await job.historyAt(ending?.moment ?? '')
    expect(documents[0]).toMatchObject({
      stepId: null,
      kind: 'changed',
      before: { processState: 'Processing' },
      after: { processState: 'Processed' },
    })
    await expect(job.historyAt('999999')).rejects.toThrow(CommandInvalid)
    await expect(job.history({ after: 'yesterday' })).rejects.toThrow(/after is "yesterday"/)
  })

  it('begins at the submission, also of a job in a partition with many others', async () => {
    const options = (jobId: string) => ({ jobId, partitionKey: 'shared' })
    for (let count = 0; count < 30; count += 1)
      await client.submit(buying, { card: 'x' }, options(`j${count}`))
    await settle()
    const job = await client.get('j17', { partitionKey: 'shared' })
    const moments = job === null ? [] : await wholeHistory(job)
    expect(words(moments)[0]).toMatch(/^job: submitted/)
    expect(moments.every(({ changes }) => changes.every(({ document }) => document.includes('j17')))).toBe(
      true,
    )
  })

  it('begins later, and says so, if the first versions are no longer kept', async () => {
    open(5)
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await settle()
    await world.clock.advance(4 * 60_000)
    const present = await world.job('a')
    await world.truth.apply('a', [replacing(present, { ...present, priority: 7 })])
    await world.clock.advance(100_000)
    const { source, note, moments } = await job.history()
    expect([source, note]).toEqual([
      'versions',
      expect.stringContaining('no longer keeps the first versions'),
    ])
    expect(words(moments).at(-1)).toContain('only fields of the roles changed: priority')
    await world.clock.advance(60 * 60_000)
    expect(await job.history()).toMatchObject({
      source: 'record',
      note: expect.stringContaining('older than what the store keeps') as string,
    })
  })

  it('returns the record of the job if the container keeps no versions, and says how to keep them', async () => {
    open()
    failures = 1
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await settle()
    const { source, note, moments, next } = await job.history({ limit: 2 })
    expect([source, next]).toEqual(['record', 'record-2'])
    expect(note).toContain('stepward provision --keep-versions 7d')
    const rest = await job.history({ after: next ?? '' })
    const told = words([...moments, ...rest.moments])
    expect(told[0]).toContain('submitted: workflow buying')
    expect(told).toContainEqual(expect.stringContaining('attempt 1 failed: “the line is down for first”'))
    expect(told.at(-1)).toContain('ended as Processed')
    expect(rest.next).toBeNull()
  })

  it('does not need the versions before, which Azure sends only for deletes', async () => {
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await settle()
    const whole = await wholeHistory(job, 3)
    let reads = 0
    const listVersions = async (...asked: Parameters<JobQueries['listVersions']>): Promise<VersionsRead> => {
      reads += 1
      const read = await world.queries.listVersions(...asked)
      if (read.kind !== 'page') return read
      return { ...read, changes: read.changes.map((change) => ({ ...change, previous: null })) }
    }
    const asOnAzure = await clientOn(
      Object.assign(Object.create(world.queries) as JobQueries, { listVersions }),
    ).get('a')
    expect(asOnAzure === null ? [] : await wholeHistory(asOnAzure, 3)).toEqual(whole)
    expect(reads).toBeLessThan(60)
  })
})

describe('the secrets of a job', () => {
  it('are in no version, in no message and in no attempt, also after the input was edited', async () => {
    const job = await client.submit(secret, { card: 'stolen' }, { jobId: 'a' })
    await settle()
    // Agents in other languages may store a message with a secret.
    const leak = async (message: string): Promise<void> => {
      const step = await world.step('pay', 'a')
      const leaked = step.diagnostics.map((one) => ({ ...one, message }))
      await world.truth.apply('a', [replacing(step, { ...step, diagnostics: leaked })])
    }
    await leak('stolen is refused')
    for (const card of ['lapsed-77', 'another-card']) {
      await client.resubmit('a', { step: 'pay', input: { card }, by: 'ann', why: 'new card' })
      await settle()
      if (card === 'lapsed-77') await leak('lapsed-77 is refused')
    }
    const { moments } = await job.history({ hidesSecrets: true })
    const documents = await Promise.all(
      moments.map(({ moment }) => job.historyAt(moment ?? '', { hidesSecrets: true })),
    )
    const attempts = await job.attempts('pay', { hidesSecrets: true })
    const all = JSON.stringify([moments, documents, attempts])
    expect(all).toContain('•••• secret')
    for (const hidden of ['stolen', 'lapsed-77', 'another-card', 'payloadHash'])
      expect(all).not.toContain(hidden)
    expect(JSON.stringify(await job.historyAt(moments[0]?.moment ?? ''))).toContain('stolen')
  })
})

describe('the attempts of a step', () => {
  it('have inputs, outputs and errors where versions are kept', async () => {
    failures = 1
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await settle()
    expect(await job.attempts('pay')).toMatchObject({
      source: 'versions',
      note: null,
      attempts: [
        {
          attempt: 1,
          outcome: 'failed',
          by: 'agents-1',
          input: { card: 'first' },
          output: null,
          error: 'the line is down for first',
        },
        {
          attempt: 2,
          outcome: 'success',
          input: { card: 'first' },
          output: { receipt: 'r-first' },
          error: null,
        },
      ],
    })
    await expect(job.attempts('none')).rejects.toThrow('has no step "none"')
  })

  it('keep the input that each had, if an operator edited it', async () => {
    const job = await client.submit(buying, { card: 'stolen' }, { jobId: 'a' })
    await settle()
    await client.resubmit('a', { step: 'pay', input: { card: 'mine' }, by: 'ann', why: 'another card' })
    await settle()
    const { attempts } = await job.attempts('pay')
    expect(attempts.map(({ outcome, input, generation }) => [outcome, input, generation])).toEqual([
      ['permanent', { card: 'stolen' }, 1],
      ['success', { card: 'mine' }, 2],
    ])
  })

  it('say so if they gave no answer in time', async () => {
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await world.scheduler().onChanges(await world.changes())
    await world.changes()
    await world.clock.advance(600_000)
    await world.supervisor().runOnce()
    await settle()
    const { attempts } = await job.attempts('pay')
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'noAnswer'],
      [2, 'success'],
    ])
  })

  it('are the newest failures and the present one, if no versions are kept', async () => {
    open()
    failures = 1
    const job = await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await settle()
    const { source, note, attempts } = await job.attempts('pay')
    expect([source, note]).toEqual(['record', expect.stringContaining('keeps no versions')])
    expect(attempts).toMatchObject([
      { attempt: 1, outcome: 'failed', input: null, error: 'the line is down for first' },
      { attempt: 2, outcome: 'success', input: { card: 'first' }, output: { receipt: 'r-first' } },
    ])
  })
})

describe('the words for a dispatch', () => {
  /** Counts the lines of a history that contain a text. */
  const count = (told: readonly string[], text: string) => told.filter((line) => line.includes(text)).length
  const toldOf = async (job: Job | null) => (job === null ? [] : words(await wholeHistory(job)))

  it('say that a sleep begins once and ends once', async () => {
    const napping = defineWorkflow<null>('napping', (job) => void job.sleep('nap', '1m'))
    const job = await client.submit(napping, null, { jobId: 'a' })
    await settle()
    const told = await toldOf(job)
    expect(count(told, 'nap: the sleep begins, to complete by')).toBe(1)
    expect(count(told, 'nap: the sleep ends; state Pending → Processed')).toBe(1)
    expect(count(told, 'the next attempt')).toBe(0)
  })

  it('say that a question begins once, and ends after its answer', async () => {
    const asking = defineWorkflow<null>('asking', (job) => void job.ask('sure', { title: 'Sure?' }))
    const job = await client.submit(asking, null, { jobId: 'a' })
    await settle()
    await client.answer('a', 'sure', true, { by: 'ann' })
    await settle()
    const told = await toldOf(job)
    expect(count(told, 'the question begins')).toBe(1)
    expect(count(told, 'answered by ann')).toBe(1)
    expect(count(told, 'sure: the question ends')).toBe(1)
  })

  it('name no attempt while a step only waits at a limit', async () => {
    const limited = defineWorkflow<{ readonly card: string }>('limited', (job) => {
      const limits = [{ key: 'bank', atOnce: 1 }]
      job.step('pay', bank.pay, { card: job.input.card }, { undo: 'none', limits })
    })
    for (const jobId of ['a', 'b']) await client.submit(limited, { card: jobId }, { jobId })
    await settle()
    const all = await Promise.all(['a', 'b'].map(async (jobId) => toldOf(await client.get(jobId))))
    const waited = all.filter((told) => count(told, 'waits for room at a limit') > 0)
    expect(waited).toHaveLength(1)
    for (const lines of all) expect(count(lines, 'attempt 1 dispatched')).toBe(1)
    for (const line of waited.flat()) expect(line).not.toMatch(/dispatched.*waits for room|next attempt/)
  })

  it('name no attempt of a step that a restart has carried over', async () => {
    await client.submit(buying, { card: 'first' }, { jobId: 'a' })
    await settle()
    await client.restart('a', { from: 'again', by: 'ann', why: 'again' })
    await settle()
    const told = await toldOf(await client.get('a.r1'))
    const carried = 'pay: created; carried over by the restart as Processed, with the keys of job a'
    expect(count(told, carried)).toBe(1)
    expect(count(told, 'pay: attempt 1')).toBe(0)
    expect(count(told, 'again: attempt 1 dispatched')).toBe(1)
  })
})
