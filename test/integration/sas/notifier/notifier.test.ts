import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { schedule } from '../../../../src/sas/decisions/schedule.js'
import type { Alert } from '../../../../src/sas/notifier/alert.js'
import type { NoticeDocument } from '../../../../src/sas/model/documents.js'
import { alertDocumentId, noticeDocumentId } from '../../../../src/sas/model/document-ids.js'
import { Notifier } from '../../../../src/sas/notifier/notifier.js'
import type { ReplyChannel } from '../../../../src/sas/notifier/reply.js'
import { replacing, type StateStore } from '../../../../src/sas/store/state-store.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { intercepted } from '../../../support/intercepted.js'
import { StateWorld } from '../../../support/state-world.js'
import { notifierSettings, type ChosenSettings } from '../../../support/notifier-settings.js'

const replyTo = 'https://shop.example/replies'
const firstLease = '0'

/** A receiver that records what it was sent, and fails on request. */
class Receiver implements ReplyChannel {
  readonly received: string[] = []
  /** The next answers to notices of job-1, which are accepted otherwise. */
  readonly answers: (() => ReturnType<ReplyChannel['send']>)[] = []

  async send({ jobId, seq }: NoticeDocument): ReturnType<ReplyChannel['send']> {
    const answer = jobId === 'job-1' ? this.answers.shift() : undefined
    const given = answer === undefined ? ({ kind: 'sent' } as const) : await answer()
    this.received.push(`${jobId}:${seq}`)
    return given
  }
}

const unreachable = (): Promise<never> => Promise.reject(new Error('connection refused'))

let world: StateWorld
let receiver: Receiver
beforeEach(() => {
  world = new StateWorld()
  receiver = new Receiver()
})

function started(
  settings: ChosenSettings = {},
  instanceName = 'notifier-1',
  store: StateStore = world.store,
): Notifier {
  const { clock, random, telemetry } = world
  const options = { store, clock, random, telemetry, instanceName, channel: receiver }
  const notifier = new Notifier({ ...notifierSettings, ...options, ...settings })
  notifier.onLeaseAcquired(firstLease, true)
  notifier.start()
  onTestFinished(() => notifier.stop())
  return notifier
}

/** A job that was submitted, taken up and finished by a failure for good. */
async function failedJob(jobId = 'job-1'): Promise<void> {
  await world.submitted({ pay: [] }, {}, { jobId, partition: jobId, replyTo })
  await decide(jobId)
  const step = await world.step('pay', jobId)
  const attention = { kind: 'error', since: '', by: 'a', message: 'no such card', stepId: 'pay' } as const
  const diagnostics = [{ at: '', by: 'agents-1', attempt: 1, message: 'no such card' }]
  const failed = { ...step, attention, diagnostics, lockedBy: null, processState: 'Error' as const }
  await world.put(jobId, [replacing(step, failed)])
  await decide(jobId)
}

async function decide(jobId: string): Promise<void> {
  const [job, step] = [await world.job(jobId), await world.step('pay', jobId)]
  const steps = new Map([['pay', step]])
  const decision = schedule({ job, steps, now: world.clock.now(), scheduler: 'scheduler-1' })
  if (decision.kind !== 'write') throw new Error(`decided ${decision.kind}`)
  await world.put(jobId, [
    replacing(job, decision.job),
    ...decision.changed.map((changed) => replacing(step, changed)),
    ...decision.notices.map((document) => ({ kind: 'create' as const, document })),
  ])
}

async function notice(seq: number, jobId = 'job-1') {
  return world.truth.read({ pk: jobId, id: noticeDocumentId({ jobId, submittedAtMs }, seq) })
}

describe('the notices to submitters', () => {
  it('are all sent in order, marked as sent, and begin to expire (R118, I13, F-N4, F-N5)', async () => {
    await failedJob()
    const notifier = started()
    const page = await world.changes()
    notifier.onChanges([...page].reverse(), firstLease)
    await world.telemetry.waitFor('notice.sent', ({ seq }) => seq === 4)
    expect(receiver.received).toEqual(['job-1:1', 'job-1:2', 'job-1:3', 'job-1:4'])
    expect(await notice(4)).toMatchObject({
      sentAt: '2026-01-01T00:00:00.000Z',
      completeByMs: null,
      ttl: 86_400,
    })
    notifier.onChanges(page, firstLease)
    await world.clock.advance(60_000)
    expect(receiver.received, 'a page that comes again says nothing new').toHaveLength(4)
  })

  it('are sent in order, whatever the order in which the store lists them (I13)', async () => {
    await failedJob()
    const listed = Array.from(
      { length: 5 },
      () =>
        async (list: StateStore['listNotices'], ...of: Parameters<StateStore['listNotices']>) =>
          [...(await list(...of))].sort((a, b) => b.seq - a.seq),
    )
    const notifier = started(
      {},
      'notifier-1',
      intercepted<StateStore, 'listNotices'>(world.store, 'listNotices', listed),
    )
    notifier.onChanges(await world.changes(), firstLease)
    await world.telemetry.waitFor('notice.sent', ({ seq }) => seq === 4)
    expect(receiver.received).toEqual(['job-1:1', 'job-1:2', 'job-1:3', 'job-1:4'])
  })

  it('wait while an earlier one fails, and are sent after it (F-N2)', async () => {
    await failedJob()
    receiver.answers.push(unreachable)
    const notifier = started()
    notifier.onChanges(await world.changes(), firstLease)
    await world.telemetry.waitFor('notice.failed')
    expect(await notice(1)).toMatchObject({ failureCount: 1, sentAt: null, attention: null, ttl: -1 })
    await world.clock.advance(1_000)
    expect(receiver.received).toEqual(['job-1:1', 'job-1:2', 'job-1:3', 'job-1:4'])
  })

  it('to a receiver that does not answer are given up and delay no others (F-N3)', async () => {
    await failedJob('job-1')
    await failedJob('job-2')
    receiver.answers.push(() => deferred<never>().promise)
    const noticeRetry = { tries: 1, backoff: { minMs: 1, maxMs: 1 } }
    const notifier = started({ noticeRetry, sendTimeoutMs: 5_000 })
    notifier.onChanges(await world.changes(), firstLease)
    await world.telemetry.waitFor('notice.sent', ({ jobId, seq }) => jobId === 'job-2' && seq === 4)
    expect(receiver.received).not.toContain('job-1:1')
    await world.clock.advance(5_000)
    await world.telemetry.waitFor('notice.sent', ({ jobId, seq }) => jobId === 'job-1' && seq === 4)
    expect(await notice(1)).toMatchObject({
      completeByMs: null,
      sentAt: null,
      ttl: -1,
      attention: { kind: 'notify', by: 'notifier-1', message: 'no answer within 5000 ms' },
    })
    expect(world.telemetry.of('notice.failed')).toMatchObject([{ seq: 1, isGivenUp: true }])
    expect(await world.job()).toMatchObject({ processState: 'Error', attention: { stepId: 'pay' } })
  })

  it('are given up at once if the channel cannot send them', async () => {
    await failedJob()
    receiver.answers.push(() => Promise.resolve({ kind: 'impossible', reason: 'no such thing' }))
    const notifier = started()
    notifier.onChanges(await world.changes(), firstLease)
    await world.telemetry.waitFor('notice.sent', ({ seq }) => seq === 4)
    expect(await notice(1)).toMatchObject({ attention: { message: 'no such thing' }, failureCount: 1 })
  })

  it.each(['applied', 'lost'] as const)(
    'are sent at most once more when the reply to the mark is lost and the mark was %s (F-N1)',
    async (truth) => {
      await failedJob()
      const notifier = started()
      world.faults.failWrites({ kind: 'unknownOutcome', truth })
      notifier.onChanges(await world.changes(), firstLease)
      await world.clock.advance(1_000)
      const expected = ['job-1:1', 'job-1:2', 'job-1:3', 'job-1:4']
      expect(receiver.received).toEqual(truth === 'applied' ? expected : ['job-1:1', ...expected])
    },
  )

  it('are sent by the next instance when one stops in the middle (F-N1)', async () => {
    await failedJob()
    const hanging = deferred<undefined>()
    receiver.answers.push(() => hanging.promise.then(unreachable))
    const first = started()
    first.onChanges(await world.changes(), firstLease)
    await world.clock.advance(10)
    await first.stop()
    expect(await notice(1), 'being cut off is no failure').toMatchObject({ failureCount: 0 })
    await world.clock.advance(60_000)
    started({}, 'notifier-2')
    await world.clock.advance(1)
    expect(receiver.received).toEqual(['job-1:1', 'job-1:2', 'job-1:3', 'job-1:4'])
  })

  it('are not sent after the lease was released', async () => {
    await failedJob()
    receiver.answers.push(unreachable)
    const notifier = started()
    notifier.onChanges(await world.changes(), firstLease)
    await world.telemetry.waitFor('notice.failed')
    notifier.onLeaseReleased(firstLease)
    await world.clock.advance(600_000)
    expect(receiver.received).toEqual([])
  })
})

describe('an alert to operators', () => {
  it('reports once that a job ended in Error, with step and diagnostics (R114, I15, F-V16)', async () => {
    await failedJob()
    const alerts: Alert[] = []
    const notifier = started({ alertSinks: [(sent) => Promise.resolve(void alerts.push(...sent))] })
    const page = await world.changes()
    notifier.onChanges(page, firstLease)
    await world.telemetry.waitFor('alert.raised')
    expect(alerts).toMatchObject([
      {
        alertId: 'job-1|error|pay|2026-01-01T00:00:00.000Z',
        jobId: 'job-1',
        orderId: 'order-1',
        kind: 'error',
        stepId: 'pay',
        state: 'Error',
        message: 'step pay: no such card',
        diagnostics: [{ message: 'no such card' }],
      },
    ])
    await world.clock.advance(1)
    notifier.onChanges(page, firstLease)
    await world.clock.advance(600_000)
    expect(alerts, 'neither the page nor ten sweeps repeat it').toHaveLength(1)
  })

  it('is repeated after a day while the job is still flagged (R114)', async () => {
    await failedJob()
    started({ sweepIntervalMs: 3_600_000 })
    await world.clock.advance(1)
    expect(world.telemetry.of('alert.raised')).toHaveLength(1)
    await world.clock.advance(23 * 3_600_000)
    expect(world.telemetry.of('alert.raised')).toHaveLength(1)
    await world.clock.advance(2 * 3_600_000)
    expect(world.telemetry.of('alert.raised')).toHaveLength(2)
  })

  it('reaches every sink, however often one fails (I15, F-V17)', async () => {
    await failedJob()
    let failures = 2
    const alerted: string[] = []
    const note = (sink: string) => (alerts: readonly Alert[]) =>
      Promise.resolve(void alerted.push(...alerts.map(({ jobId }) => `${sink} ${jobId}`)))
    const notifier = started({
      alertSinks: [(alerts) => (failures-- > 0 ? unreachable() : note('webhook')(alerts)), note('chat')],
    })
    notifier.onChanges(await world.changes(), firstLease)
    await world.clock.advance(65_000)
    expect(alerted, 'and who took it is not told again').toEqual(['chat job-1', 'webhook job-1'])
    expect(world.telemetry.of('alert.failed')).toHaveLength(2)
    expect(world.telemetry.of('alert.raised')).toHaveLength(1)
  })

  it('is not sent when the job lost its flag before', async () => {
    await failedJob()
    const page = await world.changes()
    const job = await world.job()
    await world.put('job-1', [replacing(job, { ...job, attention: null, processState: 'Processing' })])
    const notifier = started()
    notifier.onChanges(page, firstLease)
    await world.clock.advance(60_000)
    expect(world.telemetry.of('alert.raised')).toEqual([])
    expect(await world.truth.read({ pk: 'job-1', id: alertDocumentId('job-1') })).toBeNull()
  })
})
