import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Alert } from '../../../../src/sas/notifier/alert.js'
import { Alerter, type AlerterOptions } from '../../../../src/sas/notifier/alerter.js'
import type { NoticeDocument } from '../../../../src/sas/model/documents.js'
import { alertDocumentId } from '../../../../src/sas/model/document-ids.js'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { NotDelivered } from '../../../../src/sas/notifier/webhook.js'
import { noticeOf } from '../../../../src/sas/decisions/notices.js'
import { Notifier } from '../../../../src/sas/notifier/notifier.js'
import { aJob, submittedAtMs } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { notifierSettings } from '../../../support/notifier-settings.js'

const firstLease = '0'
const minuteMs = 60_000

let world: StateWorld
/** The alerts that the sink took, call by call. */
let calls: (readonly Alert[])[]
beforeEach(() => {
  world = new StateWorld()
  calls = []
})

const take = (alerts: readonly Alert[]): Promise<void> => Promise.resolve(void calls.push(alerts))
const alerted = (): string[] =>
  calls
    .flat()
    .map(({ jobId }) => jobId)
    .sort()

function started(options: Partial<AlerterOptions> = {}): Alerter {
  const { store, clock, telemetry } = world
  const alerter = new Alerter({
    store,
    clock,
    telemetry,
    sinks: [take],
    sendTimeoutMs: 10_000,
    remindAfterMs: 86_400_000,
    callsPerMinute: 20,
    sweepIntervalMs: minuteMs,
    ...options,
  })
  alerter.start()
  onTestFinished(() => alerter.stop())
  return alerter
}

/** Stores jobs that were flagged a millisecond apart, and returns them as the feed delivers them. */
async function flagged(count: number, prefix = 'job') {
  const jobs = Array.from({ length: count }, (_, index) => {
    const jobId = `${prefix}-${String(index).padStart(4, '0')}`
    const since = new Date(submittedAtMs + index).toISOString()
    const attention = { kind: 'error' as const, since, by: 's', message: 'down', stepId: 'pay' }
    const id = `sas.job:${jobId}`
    return aJob({ id, pk: jobId, jobId, attention, lockedBy: null, processState: 'Error' })
  })
  for (const job of jobs) await world.put(job.pk, [{ kind: 'create', document: job }])
  return jobs
}

/** Stores a notice of another job that was never sent. */
async function forgottenNotice(): Promise<NoticeDocument> {
  const job = aJob({ id: 'sas.job:told', pk: 'told', jobId: 'told', replyTo: 'https://shop.example/' })
  const notice = noticeOf(job, 'received', { seq: 1, now: submittedAtMs + 10_000 })
  await world.put('told', [{ kind: 'create', document: notice }])
  return notice
}

describe('alerts about many jobs that are flagged at once (F-V18)', () => {
  it('are sent one by one while calls are left, and the rest in one call', async () => {
    const jobs = await flagged(30)
    const alerter = started({ callsPerMinute: 5 })
    for (const job of jobs.slice(0, 3)) alerter.jobChanged(job, firstLease)
    await world.clock.advance(1)
    expect(calls.map((alerts) => alerts.length)).toEqual([1, 1, 1])
    for (const job of jobs.slice(3)) alerter.jobChanged(job, firstLease)
    await world.clock.advance(1)
    expect(calls.map((alerts) => alerts.length)).toEqual([1, 1, 1, 27])
    expect(alerted()).toEqual(jobs.map(({ jobId }) => jobId))
    expect(world.telemetry.of('alert.raised')).toHaveLength(30)
  })

  it('wait when the calls of a minute are used up, and none is lost or sent twice', async () => {
    const jobs = await flagged(600)
    const alerter = started({ callsPerMinute: 2 })
    alerter.leaseAcquired(firstLease, true)
    for (const job of jobs.slice(0, 2)) {
      alerter.jobChanged(job, firstLease)
      await world.clock.advance(1)
    }
    await world.clock.advance(minuteMs - 10)
    const inFirstMinute = calls.length
    expect(inFirstMinute).toBeLessThanOrEqual(2)
    for (let minute = 1; minute <= 3; minute += 1) {
      const before = calls.length
      await world.clock.advance(minuteMs)
      expect(calls.length - before).toBeLessThanOrEqual(2)
    }
    expect(alerted()).toEqual(jobs.map(({ jobId }) => jobId))
    expect(await world.truth.read({ pk: 'job-0599', id: alertDocumentId('job-0599') })).not.toBeNull()
  })

  it('are all sent again after a failed call, also by the instance that takes over', async () => {
    const jobs = await flagged(30)
    let isDown = true
    const sinks = [(alerts: readonly Alert[]) => (isDown ? Promise.reject(new Error('down')) : take(alerts))]
    const first = started({ sinks, callsPerMinute: 5 })
    first.leaseAcquired(firstLease, true)
    await world.clock.advance(1)
    expect(world.telemetry.of('alert.failed')).toMatchObject([{ count: 30 }])
    expect(world.telemetry.of('alert.raised')).toEqual([])
    expect(await world.truth.read({ pk: 'job-0000', id: alertDocumentId('job-0000') })).toBeNull()
    await first.stop()
    isDown = false
    started({ sinks, callsPerMinute: 5 }).leaseAcquired('1', false)
    await world.clock.advance(1)
    expect(alerted()).toEqual(jobs.map(({ jobId }) => jobId))
  })

  it.each([400, 413, 422])(
    'wait for at most a minute when the receiver refuses one of them with %i',
    async (status) => {
      const jobs = await flagged(40)
      const poison = 'job-0013'
      const sink = (alerts: readonly Alert[]) =>
        alerts.some(({ jobId }) => jobId === poison)
          ? Promise.reject(new NotDelivered(`answered ${status}`, status))
          : take(alerts)
      const alerter = started({ sinks: [sink], callsPerMinute: 20 })
      alerter.leaseAcquired(firstLease, true)
      await world.clock.advance(minuteMs)
      expect(alerted()).toEqual(jobs.map(({ jobId }) => jobId).filter((jobId) => jobId !== poison))
      expect(world.telemetry.of('alert.failed').at(-1)).toMatchObject({ jobId: poison, count: 1 })
    },
  )

  it('are sent in smaller calls to a receiver that refuses large ones', async () => {
    const jobs = await flagged(100)
    const sink = (alerts: readonly Alert[]) =>
      alerts.length > 30 ? Promise.reject(new NotDelivered('answered 413', 413)) : take(alerts)
    started({ sinks: [sink], callsPerMinute: 20 }).leaseAcquired(firstLease, true)
    await world.clock.advance(1)
    expect(calls.map((alerts) => alerts.length)).toEqual([25, 25, 25, 25])
    expect(alerted()).toEqual(jobs.map(({ jobId }) => jobId))
  })

  it('are sent in one call again after the receiver did not answer', async () => {
    await flagged(100)
    let isDown = true
    const down = new NotDelivered('no answer', null)
    const sink = (alerts: readonly Alert[]) => (isDown ? Promise.reject(down) : take(alerts))
    started({ sinks: [sink], callsPerMinute: 20 }).leaseAcquired(firstLease, true)
    await world.clock.advance(5 * minuteMs)
    isDown = false
    await world.clock.advance(minuteMs)
    expect(calls.map((alerts) => alerts.length)).toEqual([100])
  })

  it('are all emitted as events when there are no sinks', async () => {
    await flagged(30)
    started({ sinks: [], callsPerMinute: 1 }).leaseAcquired(firstLease, true)
    await world.clock.advance(1)
    expect(world.telemetry.of('alert.raised')).toHaveLength(30)
  })
})

describe('with more documents than one page of a query holds (I13, I15)', () => {
  it('flagged jobs hide neither forgotten notices nor each other', async () => {
    const jobs = await flagged(1_100)
    await forgottenNotice()
    const { store, clock, random, telemetry } = world
    const sent: string[] = []
    const channel = {
      send: async ({ jobId }: NoticeDocument) => {
        sent.push(jobId)
        return { kind: 'sent' as const }
      },
    }
    const options = { store, clock, random, telemetry, channel, instanceName: 'notifier-1' }
    const notifier = new Notifier({ ...notifierSettings, ...options, alertSinks: [take] })
    notifier.onLeaseAcquired(firstLease, true)
    notifier.start()
    onTestFinished(() => notifier.stop())
    await world.clock.advance(minuteMs)
    expect(sent).toEqual(['told'])
    expect(alerted()).toEqual(jobs.map(({ jobId }) => jobId))
    expect(world.faults.count('listFlagged'), 'two pages').toBe(2)
  })

  it('notices that wait behind an unsent one hide no others', async () => {
    const replyTo = 'https://gone.example/'
    for (let index = 0; index < 1_100; index += 1) {
      const jobId = `job-${index}`
      const job = aJob({ id: `sas.job:${jobId}`, pk: jobId, jobId, replyTo })
      const first = noticeOf(job, 'received', { seq: 1, now: submittedAtMs + 10 ** 9 })
      const second = noticeOf(job, 'started', { seq: 2, now: submittedAtMs + index })
      await world.put(jobId, [
        { kind: 'create', document: first },
        { kind: 'create', document: second },
      ])
    }
    await forgottenNotice()
    const { store, clock, random, telemetry } = world
    const sent: string[] = []
    const channel = {
      send: async ({ jobId }: NoticeDocument) => {
        sent.push(jobId)
        return { kind: 'sent' as const }
      },
    }
    const notifier = new Notifier({
      ...notifierSettings,
      store,
      clock,
      random,
      telemetry,
      channel,
      instanceName: 'n',
    })
    notifier.start()
    onTestFinished(() => notifier.stop())
    await world.clock.advance(50_000)
    notifier.onLeaseAcquired(firstLease, false)
    await world.clock.advance(2_000)
    expect(sent).toEqual(['told'])
    const asked = world.faults.count('listNotices')
    notifier.onLeaseAcquired('1', false)
    await world.clock.advance(2_000)
    expect(world.faults.count('listNotices'), 'a waiting job is not read again').toBe(asked)
  })
})

it('a sweep reads nothing about jobs that were alerted until a reminder is due (R114)', async () => {
  await flagged(10)
  started({ remindAfterMs: 10 * minuteMs }).leaseAcquired(firstLease, true)
  await world.clock.advance(minuteMs / 2)
  expect(calls).toHaveLength(10)
  const read = world.faults.count('read')
  await world.clock.advance(9 * minuteMs)
  expect(world.faults.count('read')).toBe(read)
  await world.clock.advance(3 * minuteMs)
  expect(calls).toHaveLength(20)
})

it('an alerter does not repeat an alert that another instance has recorded', async () => {
  const [job] = await flagged(1)
  if (job === undefined) throw new Error('there is no job')
  const first = started()
  first.jobChanged(job, firstLease)
  await world.clock.advance(1)
  await first.stop()
  const second = started()
  second.jobChanged(job, firstLease)
  await world.clock.advance(1)
  const read = world.faults.count('read')
  second.jobChanged(job, firstLease)
  await world.clock.advance(1)
  expect(calls).toHaveLength(1)
  expect(world.faults.count('read')).toBe(read)
})

it('an alerter alerts about a new flag that is set while the last alert is still being sent', async () => {
  const [job] = await flagged(1)
  if (job?.attention === undefined || job.attention === null) throw new Error('there is no flagged job')
  const pending = deferred()
  const sink = async (alerts: readonly Alert[]): Promise<void> => {
    await take(alerts)
    if (calls.length === 1) await pending.promise
  }
  const alerter = started({ sinks: [sink] })
  alerter.jobChanged(job, firstLease)
  await world.clock.advance(1)
  const now = { ...job, attention: { ...job.attention, since: '2026-02-01T00:00:00.000Z', stepId: 'ship' } }
  const stored = await world.job(job.jobId)
  await world.put(job.pk, [{ kind: 'replace', document: now, ifMatch: stored._etag }])
  expect(decodeDocument(now).kind).toBe('job')
  alerter.jobChanged(now, firstLease)
  pending.resolve()
  await world.clock.advance(1)
  expect(calls.flat().map(({ stepId }) => stepId)).toEqual(['pay', 'ship'])
})

it('an alert whose documents cannot be read is sent later, and the others at once', async () => {
  const jobs = await flagged(2)
  const alerter = started()
  world.faults.failReads({ kind: 'throws', error: new StoreUnavailable('away', { cause: null }) })
  for (const job of jobs) alerter.jobChanged(job, firstLease)
  alerter.leaseAcquired(firstLease, false)
  await world.clock.advance(1)
  expect(alerted()).toHaveLength(1)
  expect(world.telemetry.of('loop.failed')).toMatchObject([{ loop: 'alert' }])
  await world.clock.advance(30_000)
  expect(alerted()).toEqual(jobs.map(({ jobId }) => jobId))
})
