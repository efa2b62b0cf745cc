import { beforeEach, describe, expect, it } from 'vitest'
import { readAttention } from '../../../../src/operations/attention.js'
import { readAudit } from '../../../../src/operations/audit.js'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { givenUp } from '../../../../src/sas/decisions/give-up.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { StateWorld } from '../../../support/state-world.js'

const bank = defineAgent('bank', { pay: (input: { readonly iban: string }) => input.iban.length })
const paying = defineWorkflow<{ readonly iban: string }>(
  'paying',
  (job) => {
    job.step('pay', bank.pay, job.input, { undo: 'none' })
  },
  { secrets: ['input.iban'] },
)
const iban = 'DE02120300000000202051'

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

/** A job in Error. */
async function failed(jobId: string): Promise<void> {
  await client.submit(paying, { iban }, { jobId })
  const job = await world.job(jobId)
  const attention = {
    kind: 'error' as const,
    since: `since ${jobId}`,
    by: 'x',
    message: 'gone',
    stepId: null,
  }
  await world.put(jobId, [replacing(job, { ...job, attention, processState: 'Error' })])
}

const attentionOf = (more: object = {}) =>
  readAttention(
    client,
    { endpoint: '' },
    {
      // A filter by time asks for no instances, which this world does not have.
      filter: { workflow: 'paying', since: new Date(0) },
      now: world.clock.now(),
      ...more,
    },
  )

describe('the triage of a job through the client', () => {
  it('is shown with the job, in lists, among the problems and in the audit', async () => {
    await failed('one')
    await client.triage('one', { assignee: 'ann', note: `is ${iban} right?`, snooze: '2h', by: 'bob' })
    const triage = {
      assignee: 'ann',
      note: 'is •••• secret right?',
      snoozedUntil: '2026-01-01T02:00:00.000Z',
      by: 'bob',
      at: '2026-01-01T00:00:00.000Z',
    }
    const view = await (await client.get('one'))?.view()
    expect(view).toMatchObject({ triage, attention: { kind: 'error' }, state: 'Error' })
    expect(view?.audit).toMatchObject([{ command: 'triage', by: 'bob' }])
    expect(await client.list()).toMatchObject([{ jobId: 'one', triage }])
    expect((await attentionOf({ onlySnoozed: true })).groups).toMatchObject([
      { jobIds: ['one'], triaged: [{ jobId: 'one', ...triage }] },
    ])
    const { rows } = await readAudit(world.queries, { beforeMs: null, limit: 9 })
    expect(rows).toMatchObject([{ command: 'triage', by: 'bob', id: 'one' }])
    expect(JSON.stringify([rows, (await world.job('one')).triage])).not.toContain(iban)
    expect(world.telemetry.of('job.operated')).toMatchObject([{ command: 'triage', by: 'bob' }])
  })

  it('hides snoozed jobs and counts them, until the snooze ends by time alone', async () => {
    await failed('one')
    await failed('two')
    await client.triage('one', { snooze: new Date('2026-01-03') })
    await client.triage('two', { assignee: 'ann' })
    const writes = world.faults.count('apply')
    expect(await attentionOf()).toMatchObject({
      groups: [{ jobIds: ['two'] }],
      jobs: 1,
      snoozed: 1,
      nextSnoozeEnd: '2026-01-03T00:00:00.000Z',
    })
    expect(await attentionOf({ onlySnoozed: true })).toMatchObject({
      groups: [{ jobIds: ['one'] }],
      snoozed: 0,
      nextSnoozeEnd: '2026-01-03T00:00:00.000Z',
    })
    expect(await attentionOf({ assignee: 'ann' })).toMatchObject({ groups: [{ jobIds: ['two'] }] })
    expect(await attentionOf({ assignee: 'bob' })).toMatchObject({ groups: [], jobs: 0, snoozed: 0 })
    await world.clock.advance(48 * 3_600_000)
    expect(await attentionOf()).toMatchObject({ groups: [{ jobIds: ['one', 'two'] }], snoozed: 0 })
    expect(world.faults.count('apply')).toBe(writes)
  })

  it.each([
    [{}, 'triage: pass assignee, note or snooze'],
    [{ snooze: '59s' }, 'from a minute to a year from now'],
    [{ snooze: '367d' }, 'from a minute to a year from now'],
    [{ snooze: 'tomorrow' }, 'from a minute to a year from now'],
    [{ snooze: new Date('2025-12-31') }, 'from a minute to a year from now'],
    [{ note: 'n'.repeat(501) }, 'of at most 500 characters'],
    [{ assignee: '' }, 'assignee is ""'],
    [{ note: 'x', asignee: 'ann' }, 'asignee'],
    [{ note: 'x', by: '' }, 'by is ""'],
  ])('refuses %j, and writes nothing', async (options, rule) => {
    await failed('one')
    const before = await world.job('one')
    await expect(client.triage('one', options)).rejects.toThrow(rule)
    expect(await world.job('one')).toEqual(before)
  })

  it('is refused for a job that needs no operator, also in a dry run', async () => {
    await client.submit(paying, { iban }, { jobId: 'well' })
    for (const dryRun of [true, false]) {
      await expect(client.triage('well', { note: 'x', dryRun })).rejects.toThrow('needs no operator')
    }
  })

  it('is written once if the answer of the store is lost (F-O6)', async () => {
    await failed('one')
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'applied' })
    await client.triage('one', { assignee: 'ann' })
    expect((await world.job('one')).triageAudit).toHaveLength(1)
  })

  it('of a selection reaches the jobs that need an operator, and a dry run writes nothing', async () => {
    await failed('one')
    await failed('two')
    await client.submit(paying, { iban }, { jobId: 'well' })
    await client.triage('one', { assignee: 'ann' })
    const writes = world.faults.count('apply')
    const selection = client.select({ workflow: 'paying' })
    const report = { done: ['two'], refused: [{ jobId: 'one', reason: expect.any(String) as string }] }
    expect(await selection.triage({ assignee: 'ann', dryRun: true })).toMatchObject(report)
    expect(world.faults.count('apply')).toBe(writes)
    expect(await selection.triage({ assignee: 'ann', by: 'bob' })).toMatchObject(report)
    expect((await world.job('two')).triage).toMatchObject({ assignee: 'ann', by: 'bob' })
  })
})

describe('a snooze of a step beside a parallel step', () => {
  const park = async (stepId: string): Promise<void> => {
    const step = await world.step(stepId)
    const why = { now: world.clock.now(), by: 'x', message: `${stepId} is stuck` }
    await world.put('job-1', [replacing(step, givenUp(step, why))])
    // Each scheduler begins without a memory of the job.
    await world.scheduler().onChanges(await world.changes())
  }
  const found = (onlySnoozed = false) =>
    readAttention(
      client,
      { endpoint: '' },
      { filter: { state: 'Processing' }, now: world.clock.now(), onlySnoozed },
    )

  it.each(['before', 'after'])('shows a problem that the other step had %s the snooze', async (when) => {
    await world.dispatched({ a: [], b: [] }, { onExhausted: 'park' })
    await world.changes()
    await park('a')
    if (when === 'before') await park('b')
    await client.triage('job-1', { snooze: '2h' })
    await (when === 'after' ? park('b') : world.scheduler().onChanges(await world.changes()))
    expect(await found()).toMatchObject({ groups: [{ stepId: 'b', message: 'b is stuck' }], snoozed: 0 })
    await client.triage('job-1', { snooze: '1h' })
    expect(await found()).toMatchObject({ jobs: 0, snoozed: 1, nextSnoozeEnd: '2026-01-01T01:00:00.000Z' })
    await client.release('job-1', { step: 'b' })
    await world.scheduler().onChanges(await world.changes())
    expect(await found(true)).toMatchObject({ groups: [{ stepId: 'a' }] })
    await world.clock.advance(2 * 3_600_000)
    expect(await found()).toMatchObject({ groups: [{ stepId: 'a', message: 'a is stuck' }] })
  })
})
