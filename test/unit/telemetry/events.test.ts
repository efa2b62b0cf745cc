import { describe, expect, it } from 'vitest'
import { eventTable, rowOf, type TelemetryEvent } from '../../../src/telemetry/events.js'

const unit = { processorName: 'orders', instanceName: 'one' }
const lease = { ...unit, leaseToken: '0' }
const job = { jobId: '7', workflow: 'shop' }
const step = { ...job, stepId: 'pay', attempt: 2 }
const member = { role: 'agents', instanceName: 'one', processId: 12 }
const problem = { stepId: 'pay', kind: 'error', message: 'no card' }
const deadline = {
  operation: 'bank.charge',
  workflow: 'shop',
  stepId: 'pay',
  completeWithinMs: 100,
  instanceName: 'one',
}
const logged = { orderId: '7', instanceName: 'one', fields: {}, message: 'paid' }
const error = new Error('away')

const texts: readonly (readonly [TelemetryEvent, string])[] = [
  [{ type: 'lease.acquired', takenFrom: null, ...lease }, 'Instance one acquired lease 0 of orders'],
  [
    { type: 'lease.acquired', takenFrom: 'two', ...lease },
    'Instance one acquired lease 0 of orders from two',
  ],
  [
    { type: 'lease.released', reason: 'Shutdown', ...lease },
    'Instance one no longer reads lease 0 of orders: the instance is stopping',
  ],
  [
    { type: 'lease.released', reason: 'LeaseLost', ...lease },
    'Instance one no longer reads lease 0 of orders: another instance owns the lease, or may own it',
  ],
  [{ type: 'lease.requested', owner: 'two', ...lease }, 'Instance one asked two for lease 0 of orders'],
  [
    { type: 'lease.freed', owner: 'two', ...lease },
    'Instance one freed lease 0 of orders, because the process of two has ended',
  ],
  [{ type: 'lease.renewed', ...lease }, 'Instance one renewed lease 0 of orders'],
  [
    { type: 'checkpoint.stored', continuationToken: '5', ...lease },
    'Instance one stored a checkpoint of lease 0 of orders',
  ],
  [
    { type: 'feed.polled', count: 0, charge: 1, ...lease },
    'Instance one read no changes of lease 0 of orders',
  ],
  [{ type: 'feed.polled', count: 1, charge: 1, ...lease }, 'Instance one read 1 change of lease 0 of orders'],
  [
    { type: 'page.delivered', count: 2, charge: 1, ...lease },
    'The delegate accepted 2 changes of lease 0 of orders',
  ],
  [{ type: 'delegate.failed', error, ...lease }, 'Changes of processor orders were not accepted: away'],
  [
    { type: 'deadLetter.written', documentId: 'a', attempts: 1, error, ...lease },
    'Processor orders stored the change of document a in lease 0 as a dead letter after 1 attempt: away',
  ],
  [
    { type: 'feed.failed', error, ...lease },
    'Processor orders had a problem with lease 0 and tries again: away',
  ],
  [
    { type: 'feed.unanswered', waitedMs: 5_000, ...lease },
    'The store has not answered a read of lease 0 of orders for 5 s',
  ],
  [
    { type: 'feed.throttled', retries: 1, waitedMs: 250, ...lease },
    'The store throttled a read of lease 0 of orders; the SDK retried it 1 time in 0.3 s',
  ],
  [
    { type: 'lease.recreated', ...lease },
    'Instance one created the deleted lease 0 of orders again; some changes may be repeated',
  ],
  [
    { type: 'lease.superseded', by: ['1', '2'], ...lease },
    'Instance one deleted lease 0 of orders: 2 finer leases cover its part of the feed (1, 2)',
  ],
  [
    { type: 'lease.split', children: ['1', '2'], ...lease },
    'The store split the partition of lease 0 of orders; its new leases are 1, 2',
  ],
  [
    { type: 'notification.failed', notification: 'onError', error, ...lease },
    'The function onError failed for lease 0 of orders, which continues: away',
  ],
  [
    { type: 'unit.unhealthy', reason: 'no disk', ...unit },
    'Instance one is not healthy and gives up its leases of orders: no disk',
  ],
  [{ type: 'unit.healthy', ...unit }, 'Instance one is healthy again and acquires leases of orders'],
  [{ type: 'leases.listed', count: 1, ...unit }, 'Instance one found 1 lease of orders'],
  [
    { type: 'balance.failed', error, ...unit },
    'Instance one could not balance the leases of orders and tries again: away',
  ],
  [
    { type: 'lag.estimated', processorName: 'orders', leaseToken: '0', estimatedLag: 1, oldestAgeMs: null },
    'The reader of lease 0 of orders is at most 1 transaction behind',
  ],
  [
    { type: 'lag.estimated', processorName: 'orders', leaseToken: '0', estimatedLag: 2, oldestAgeMs: 4_000 },
    'The reader of lease 0 of orders is at most 2 transactions behind; the oldest change is 4 s old',
  ],
  [{ type: 'job.submitted', isNew: true, ...job }, 'The client submitted job 7 of shop'],
  [
    { type: 'job.submitted', isNew: false, ...job },
    'The client submitted job 7 of shop again; it already existed',
  ],
  [{ type: 'step.dispatched', ...step }, 'The scheduler dispatched attempt 2 of step pay of job 7 of shop'],
  [{ type: 'step.started', ...step }, 'An agent started attempt 2 of step pay of job 7 of shop'],
  [
    { type: 'step.extended', completeByMs: 0, ...step },
    'The handler extended the deadline of attempt 2 of step pay of job 7 of shop to 1970-01-01T00:00:00.000Z',
  ],
  [
    { type: 'step.returned', isOffered: true, ...step },
    'The agent gave back attempt 2 of step pay of job 7 of shop, because this host stops or lost the lease',
  ],
  [{ type: 'agent.logged', level: 'warn', ...logged, ...step }, 'paid'],
  [
    { type: 'step.settled', outcome: 'success', ...step },
    'The agent recorded that attempt 2 of step pay of job 7 of shop succeeded',
  ],
  [
    { type: 'step.settled', outcome: 'failed', error: 'no card', ...step },
    'The agent recorded that attempt 2 of step pay of job 7 of shop failed: no card',
  ],
  [
    { type: 'step.settled', outcome: 'permanent', error: 'no card', ...step },
    'The agent recorded that attempt 2 of step pay of job 7 of shop failed permanently: no card',
  ],
  [
    { type: 'outcome.discarded', reason: 'too late', ...step },
    'The agent discarded the outcome of attempt 2 of step pay of job 7 of shop: too late',
  ],
  [
    { type: 'outcome.discarded', reason: 'not recorded', error, ...step },
    'The agent discarded the outcome of attempt 2 of step pay of job 7 of shop: not recorded (away)',
  ],
  [
    { type: 'step.recovered', failureCount: 1, ...step },
    'The supervisor recovered attempt 2 of step pay of job 7 of shop, which failed or had no outcome in time; 1 failure so far',
  ],
  [
    { type: 'step.unclaimed', ...step },
    'No instance made attempt 2 of step pay of job 7 of shop in time; the supervisor offers it again',
  ],
  [
    { type: 'deadline.doubted', advice: 'allow more', ...deadline },
    'The deadline of bank.charge (100 ms) is too short: allow more',
  ],
  [
    { type: 'attention.raised', ...problem, ...job },
    'An operator must look at job 7 of shop (step pay, error): no card',
  ],
  [
    { type: 'attention.raised', ...problem, ...job, stepId: null },
    'An operator must look at job 7 of shop (error): no card',
  ],
  [
    { type: 'job.recovered', wasHeld: true, ...job },
    'The supervisor took job 7 of shop from its scheduler, which made no progress; any scheduler may now continue it',
  ],
  [
    { type: 'job.recovered', wasHeld: false, ...job },
    'No scheduler continued job 7 of shop in time; the supervisor offers it again',
  ],
  [
    { type: 'payloads.removed', removed: 2 },
    'The supervisor removed 2 payloads whose jobs do not exist any more',
  ],
  [
    { type: 'job.operated', command: 'cancel', by: 'ann', why: 'withdrawn', ...job },
    'ann gave the command cancel for job 7 of shop: withdrawn',
  ],
  [
    { type: 'question.answered', stepId: 'approve', by: 'ann', ...job },
    'ann answered the question of step approve of job 7 of shop',
  ],
  [
    { type: 'job.finished', state: 'Processed', ...job },
    'The scheduler ended job 7 of shop in state Processed',
  ],
  [
    { type: 'notice.sent', kind: 'ended', seq: 3, ...job },
    'The notifier sent notice 3 (ended) of job 7 of shop',
  ],
  [
    { type: 'notice.failed', seq: 3, failureCount: 1, isGivenUp: false, error, ...job },
    'The notifier will send notice 3 of job 7 of shop again after 1 failure: away',
  ],
  [
    { type: 'notice.failed', seq: 3, failureCount: 5, isGivenUp: true, error, ...job },
    'The notifier gave up on notice 3 of job 7 of shop after 5 failures; ' +
      'repair the receiver, then run "stepward resend": away',
  ],
  [
    { type: 'alert.raised', alertId: 'a', ...problem, ...job },
    'The notifier alerted operators to job 7 of shop (step pay, error): no card',
  ],
  [
    { type: 'alert.failed', alertId: 'a', count: 1, error, ...job },
    'The notifier could not alert operators to job 7 of shop and tries again: away',
  ],
  [
    { type: 'alert.failed', alertId: 'a', count: 3, error, ...job },
    'The notifier could not alert operators to job 7 of shop and 2 other jobs and tries again: away',
  ],
  [
    { type: 'document.refused', id: 'a', reason: 'newer schema' },
    'Stepward does not work on document a: newer schema',
  ],
  [
    { type: 'store.charged', operation: 'feed.read', charge: 2.5 },
    'The store charged 2.5 request units for feed.read',
  ],
  [
    { type: 'store.conflict', operation: 'lease.acquire', id: '0' },
    'Another instance changed 0 first (lease.acquire); this one reads it and decides again',
  ],
  [{ type: 'store.troubled', reason: 'the store throttles', error }, 'The store throttles'],
  [
    { type: 'store.recovered', durationMs: 61_500, failures: 1 },
    'The store answers again after 61.5 s and 1 failure',
  ],
  [{ type: 'loop.failed', loop: 'sweep', error }, 'The background loop sweep failed and tries again: away'],
  [
    { type: 'host.started', instanceName: 'one', roles: ['scheduler', 'agents'] },
    'Instance one runs scheduler, agents',
  ],
  [{ type: 'host.stopping', instanceName: 'one', reason: 'SIGTERM' }, 'Instance one is stopping: SIGTERM'],
  [{ type: 'host.stopped', instanceName: 'one', durationMs: 1_234 }, 'Instance one stopped in 1.2 s'],
  [
    { type: 'host.failed', instanceName: 'one', error },
    'Instance one ends because of an unhandled error: away',
  ],
  [
    { type: 'wakeUp.failed', origin: 'http://10.0.0.4:8181', error: new Error('away') },
    'The process at http://10.0.0.4:8181 did not take a hint; its roles find the writes at their next poll: away',
  ],
  [
    {
      type: 'ticks.passed',
      scheduleId: 'nightly',
      workflow: 'report',
      reason: 'late',
      count: 2,
      from: '2026-01-01T01:00:00.000Z',
      to: '2026-01-02T01:00:00.000Z',
      message: '',
    },
    'The supervisor passed over 2 ticks of schedule nightly, 2026-01-01T01:00:00.000Z to ' +
      '2026-01-02T01:00:00.000Z (late)',
  ],
  [{ type: 'host.advised', advice: 'waiting: no answer' }, 'Waiting: no answer'],
  [{ type: 'instance.started', ...member }, 'The fleet started instance one of agents (process 12)'],
  [
    { type: 'instance.ended', exit: 'exit code 5', restartInMs: 500, ...member },
    'Instance one of agents (process 12) ended: exit code 5; the fleet replaces it in 0.5 s',
  ],
  [
    { type: 'instance.ended', exit: 'killed by SIGKILL', restartInMs: null, ...member, processId: null },
    'Instance one of agents ended: killed by SIGKILL',
  ],
  [
    { type: 'instance.leasesReleased', leaseTokens: ['0'], ...member },
    'The fleet released 1 lease of instance one of agents (process 12), which has ended',
  ],
]

describe('the message of', () => {
  it.each(texts.map(([event, text]) => [event.type, text, event] as const))('%s: %s', (type, text, event) => {
    expect(rowOf(type).text(event)).toBe(text)
  })

  it('every event is tested here', () => {
    const tested = new Set<string>(texts.map(([{ type }]) => type))
    expect(Object.keys(eventTable).filter((type) => !tested.has(type))).toEqual([])
  })
})
