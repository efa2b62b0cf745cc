import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Alert } from '../../../../src/sas/notifier/alert.js'
import { JobUnreadable } from '../../../../src/sas/model/errors.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { Notifier } from '../../../../src/sas/notifier/notifier.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'
import { notifierSettings } from '../../../support/notifier-settings.js'
import { schemaVersion } from '../../../../src/sas/model/documents.js'

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

const workflow = aWorkflow()

/** Edits the job `A` as an operator's own tool would. */
async function edited(change: Readonly<Record<string, unknown>>): Promise<void> {
  const job = await world.truth.read({ pk: 'A', id: 'sas.job:A' })
  if (job === null) throw new Error('there is no job')
  await world.put('A', [replacing(job, { ...job, ...change })])
}

const withoutWhy = [{ command: 'cancel', stepId: null, at: '2026-01-01T00:00:00.000Z', by: 'operator' }]
const reason = 'audit.0.why: Invalid input: expected string, received undefined'

describe('a job whose document cannot be read', () => {
  it('is flagged once, in a record beside it, and raises attention (F-C9, F-O5, I15)', async () => {
    await client.submit(workflow, {}, { jobId: 'A' })
    const scheduler = world.scheduler()
    await scheduler.onChanges(await world.changes())
    expect(await client.unreadable()).toEqual([])
    await edited({ audit: withoutWhy })
    const page = await world.changes()
    await scheduler.onChanges(page)
    await world.scheduler('scheduler-2').onChanges(page)
    expect(await client.unreadable()).toMatchObject([
      { jobId: 'A', partitionKey: 'A', documentId: 'sas.job:A', workflow: 'shopping' },
    ])
    const [found] = await client.unreadable()
    expect(found?.reason).toBe(
      `${reason}; correct that field in the document itself, with Data Explorer or a client of your own`,
    )
    expect(world.telemetry.of('attention.raised')).toMatchObject([
      { jobId: 'A', kind: 'unreadable', message: `document sas.job:A cannot be read: ${reason}` },
    ])
  })

  it('is no longer listed once it is repaired, and its record expires', async () => {
    await client.submit(workflow, {}, { jobId: 'A' })
    const scheduler = world.scheduler()
    await edited({ audit: withoutWhy })
    await scheduler.onChanges(await world.changes())
    expect(await client.unreadable()).toHaveLength(1)
    await edited({ audit: [] })
    expect(await client.unreadable()).toEqual([])
    await scheduler.onChanges(await world.changes())
    const record = await world.truth.read({ pk: 'A', id: 'sas.unreadable:sas.job:A' })
    expect(record?.['ttl']).toBe(60)
  })

  it('is flagged again after a short repair, and its record does not vanish (I15)', async () => {
    await client.submit(workflow, {}, { jobId: 'A' })
    const scheduler = world.scheduler()
    for (const audit of [withoutWhy, [], withoutWhy]) {
      await edited({ audit })
      await scheduler.onChanges(await world.changes())
    }
    await world.clock.advance(120_000)
    expect(await client.unreadable()).toHaveLength(1)
    expect(world.telemetry.of('attention.raised')).toHaveLength(2)
  })

  it('is flagged by the id of its document when its jobId is damaged', async () => {
    await client.submit(workflow, {}, { jobId: 'A' })
    await edited({ jobId: 5 })
    await world.scheduler().onChanges(await world.changes())
    expect(await client.unreadable()).toMatchObject([{ jobId: 'A', documentId: 'sas.job:A' }])
  })

  it('is delivered again when it could not be flagged (I10)', async () => {
    await client.submit(workflow, {}, { jobId: 'A' })
    await edited({ audit: withoutWhy })
    const page = await world.changes()
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'lost' })
    await expect(world.scheduler().onChanges(page)).rejects.toMatchObject({ name: 'StoreUnavailable' })
    await world.scheduler().onChanges(page)
    expect(await client.unreadable()).toHaveLength(1)
  })

  it('is reported to every caller, with advice to repair it and not to remove it', async () => {
    await client.submit(workflow, {}, { jobId: 'A', partitionKey: 'p' })
    const job = await world.truth.read({ pk: 'p', id: 'sas.job:A' })
    if (job === null) throw new Error('there is no job')
    await world.put('p', [replacing(job, { ...job, audit: withoutWhy })])
    const found = await client.get('A')
    const asked = [
      () => found?.view(),
      () => found?.result(),
      () => found?.updates().next(),
      () => client.cancel('A', 'not wanted'),
      () => client.cancel('A', 'not wanted', { dryRun: true }),
      () => client.resubmit('A', { by: 'operator', why: 'again' }),
      () => client.submit(workflow, {}, { jobId: 'A', partitionKey: 'p' }),
    ]
    for (const ask of asked) {
      const refused = await Promise.resolve(ask()).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(JobUnreadable)
      const { message } = refused as JobUnreadable
      expect(message).toContain(
        `job "A": its document "sas.job:A" cannot be read: ${reason}; correct that field`,
      )
      expect(message).not.toMatch(/remove|delete/u)
    }
  })

  it('is not flagged when a newer version wrote it, and the refusal says so', async () => {
    await client.submit(workflow, {}, { jobId: 'A' })
    await edited({ schema: schemaVersion + 1 })
    await world.scheduler().onChanges(await world.changes())
    expect(await client.unreadable()).toEqual([])
    await expect(client.cancel('A', 'not wanted')).rejects.toThrow(
      `a newer version of stepward wrote it (schema ${schemaVersion + 1}`,
    )
  })
})

describe('a call with an invalid argument', () => {
  const callers = {
    'cancel without a reason': (c: JobClient) => c.cancel('A', ...([] as unknown as [string])),
    'cancel for a reason of blanks': (c: JobClient) => c.cancel('A', '   '),
    'get of no job': (c: JobClient) => c.get(undefined as never),
    'cancel without a name': (c: JobClient) => c.cancel('A', 'why', { by: '' }),
    'resubmit without who and why': (c: JobClient) => c.resubmit('A', {} as never),
    'resubmit without anything': (c: JobClient) => c.resubmit('A', undefined as never),
    'resubmit of a step that is none': (c: JobClient) =>
      c.resubmit('A', { by: 'o', why: 'w', step: 5 as never }),
    'release with a reason that is none': (c: JobClient) => c.release('A', { why: null as never }),
    'cancel as a trial, maybe': (c: JobClient) => c.cancel('A', 'why', { dryRun: 'yes' as never }),
    'cancel of no job': (c: JobClient) => c.cancel(undefined as never, 'why'),
    'raiseEvent without a step': (c: JobClient) => c.raiseEvent('A', undefined as never),
  }

  it.each([
    [
      'cancel without a reason',
      'cancel: reason is missing; it must be a string that is not empty, of at most 2,000 characters',
    ],
    [
      'cancel for a reason of blanks',
      'cancel: reason is "   "; it must be a string that is not empty, of at most 2,000 characters',
    ],
    [
      'get of no job',
      'get: jobId is missing; it must be a string that is not empty, of at most 1,000 characters',
    ],
    [
      'cancel without a name',
      'cancel: by is ""; it must be a string that is not empty, of at most 200 characters',
    ],
    [
      'resubmit without who and why',
      'resubmit: by is missing; it must be a string that is not empty, of at most 200 characters; why is missing; it must be a string that is not empty, of at most 2,000 characters',
    ],
    [
      'resubmit without anything',
      'resubmit: by is missing; it must be a string that is not empty, of at most 200 characters; why is missing; it must be a string that is not empty, of at most 2,000 characters',
    ],
    [
      'resubmit of a step that is none',
      'resubmit: step is 5; it must be a string that is not empty, of at most 1,000 characters',
    ],
    [
      'release with a reason that is none',
      'release: why is null; it must be a string that is not empty, of at most 2,000 characters',
    ],
    ['cancel as a trial, maybe', 'cancel: dryRun is "yes"; it must be true or false'],
    [
      'cancel of no job',
      'cancel: jobId is missing; it must be a string that is not empty, of at most 1,000 characters',
    ],
    [
      'raiseEvent without a step',
      'raiseEvent: step is missing; it must be a string that is not empty, of at most 1,000 characters',
    ],
  ] as const)('is refused before anything is written: %s', async (name, message) => {
    await client.submit(workflow, {}, { jobId: 'A' })
    const before = await world.job('A')
    await expect(callers[name](client)).rejects.toMatchObject({ name: 'CommandInvalid', message })
    expect(await world.job('A')).toEqual(before)
    expect(await client.list()).toHaveLength(1)
  })
})

describe('an alert about a job whose document cannot be read', () => {
  const alerts: Alert[] = []
  beforeEach(() => {
    alerts.length = 0
  })

  function notifier(): Notifier {
    const { store, clock, random, telemetry } = world
    const channel = { send: () => Promise.resolve({ kind: 'sent' as const }) }
    const sink = (told: readonly Alert[]): Promise<void> => Promise.resolve(void alerts.push(...told))
    const made = new Notifier({
      ...notifierSettings,
      ...{ store, clock, random, telemetry, channel },
      instanceName: 'notifier-1',
      alertSinks: [sink],
    })
    made.start()
    onTestFinished(() => made.stop())
    return made
  }

  async function flagged(): Promise<void> {
    await client.submit(workflow, {}, { jobId: 'A' })
    await edited({ audit: withoutWhy })
    await world.scheduler().onChanges(await world.changes())
  }

  it('is sent once by the sweep of a notifier while the job stays unreadable (I15)', async () => {
    await flagged()
    notifier().onLeaseAcquired('0', true)
    await world.clock.advance(5 * 60_000)
    expect(alerts).toMatchObject([
      { jobId: 'A', workflow: 'shopping', kind: 'unreadable', stepId: null, state: 'Error' },
    ])
    expect(alerts[0]?.message).toContain(reason)
  })

  it('is sent at once from the feed, and not again by another instance', async () => {
    await flagged()
    const page = await world.changes()
    notifier().onChanges(page, '0')
    await world.clock.advance(1)
    expect(alerts.map(({ kind }) => kind)).toEqual(['unreadable'])
    notifier().onChanges(page, '0')
    await world.clock.advance(1)
    expect(alerts).toHaveLength(1)
  })

  it('is not sent when the job was repaired first', async () => {
    await flagged()
    const page = await world.changes()
    await edited({ audit: [] })
    notifier().onChanges(page, '0')
    await world.clock.advance(1)
    expect(alerts).toEqual([])
  })
})
