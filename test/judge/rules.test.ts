import { describe, expect, it } from 'vitest'
import { aCall, aDoneStep, AHistory, aJob, aLease, anEffect, aStep } from './a-history.js'

const accepted = (history: AHistory): AHistory =>
  history.operation('client', 'submit', [{ jobId: 'j', input: 1, replyTo: null }, {}])

/** Returns the history of a correct job with one step. */
function aGoodJob(): AHistory {
  const history = new AHistory()
    .write('client', [aJob(), aStep(), { id: 'own-j' }])
    .operation('m1', 'handler', [aCall(), {}], { takes: 10 })
    .note('remote', 'effect', anEffect())
    .write('m1', [
      { ...aJob({ processState: 'Processed', steps: { s: { state: 'Processed', dispatch: 1 } } }), on: 'e1' },
      { ...aDoneStep(), on: 'e2' },
    ])
  return accepted(history)
}

describe('the judge', () => {
  it('accepts a correct job, and counts what it has checked', () => {
    const { violations, checked } = aGoodJob().judged()
    expect(violations).toEqual([])
    for (const rule of [
      'one-writer',
      'register',
      'all-or-nothing',
      'one-outcome',
      'own-outcome',
      'deadline',
      'done-is-done',
      'accepted',
      'whole-submission',
    ]) {
      expect([rule, checked.get(rule)]).not.toEqual([rule, 0])
    }
  })

  it('shows the events of a violation', () => {
    const { violations } = aGoodJob()
      .note('remote', 'effect', anEffect({ key: 'j/s/g2/do', receipt: 2 }))
      .judged()
    const [first] = violations
    expect(first?.rule).toBe('one-effect')
    expect(first?.excerpt.map(({ what, key }) => [what, key])).toEqual([
      ['effect', 'j/s/g1/do'],
      ['effect', 'j/s/g2/do'],
    ])
  })
})

describe('the judge, checking documents as registers,', () => {
  const base = (): AHistory => new AHistory().write('m1', [aJob()])

  it('accepts a write whose answer was lost, whether it took effect or not', () => {
    const lost = base().write('m1', [{ ...aJob({ fence: 2 }), on: 'e1' }], { end: 'info' })
    expect(lost.broken()).toEqual([])
    expect(lost.read('m2', 'sas.job:j', 'e2').broken()).toEqual([])
  })

  it('accepts a read of either version during a write', () => {
    for (const etag of ['e1', 'e2']) {
      const during = base()
        .write('m1', [{ ...aJob({ fence: 2 }), on: 'e1' }], { takes: 5_000 })
        .read('m2', 'sas.job:j', etag)
      expect(during.broken()).toEqual([])
    }
  })

  it('rejects a read of a version that was already replaced', () => {
    const stale = base()
      .write('m1', [{ ...aJob({ fence: 2 }), on: 'e1' }])
      .read('m2', 'sas.job:j', 'e1')
    expect(stale.broken()).toEqual(['register'])
  })

  it('rejects a read of the earlier version after the later one was seen', () => {
    const back = base()
      .write('m1', [{ ...aJob({ fence: 2 }), on: 'e1' }], { end: 'info' })
      .read('m2', 'sas.job:j', 'e2')
      .read('m2', 'sas.job:j', 'e1')
    expect(back.broken()).toEqual(['register'])
  })

  it('rejects a version that no process wrote, and one with other content', () => {
    expect(base().read('m2', 'sas.job:j', 'e9').broken()).toEqual(['register'])
    const documents = [{ container: 'state', id: 'sas.job:j', etag: 'e1', digest: 'other' }]
    expect(
      base()
        .operation('m2', 'query', [{ container: 'state' }, { documents }])
        .broken(),
    ).toEqual(['register'])
  })

  it('rejects two writes that replace the same version', () => {
    const fork = base()
      .write('m1', [{ ...aJob({ fence: 2 }), on: 'e1' }])
      .write('m2', [{ ...aJob({ fence: 3 }), on: 'e1' }])
    expect(fork.broken()).toEqual(['one-writer'])
  })

  it('rejects a write without a condition', () => {
    const writes = [
      { kind: 'replace', container: 'state', id: 'sas.job:j', ifMatch: null, digest: '', value: aJob() },
    ]
    expect(
      base()
        .operation('m2', 'write', [{ writes }, { etags: ['e5'] }])
        .broken(),
    ).toEqual(['conditional'])
  })

  it('rejects a refusal without a reason', () => {
    const refused = base().write('m2', [{ ...aJob({ fence: 2 }), on: 'e1' }], { end: 'fail' })
    expect(refused.broken()).toEqual(['refused-for-a-reason'])
  })

  it('rejects a transaction of which only half took effect', () => {
    const torn = new AHistory()
      .write('m1', [aJob(), aStep()])
      .write(
        'm1',
        [
          { ...aJob({ fence: 2 }), on: 'e1' },
          { ...aStep({ fence: 2 }), on: 'e2' },
        ],
        { end: 'info' },
      )
      .read('m2', 'sas.job:j', 'e3')
      .write('m2', [{ ...aStep({ fence: 3 }), on: 'e2' }])
    expect(torn.broken()).toEqual(['all-or-nothing'])
  })

  it('does not guess which of two transactions without an answer wrote the same content', () => {
    const both = new AHistory()
      .write('client', [aJob(), aStep()], { end: 'info' })
      .write('client', [aJob({ priority: 7 }), aStep()], { end: 'info' })
      .read('m2', 'sas.job:j', 'e3')
      .read('m2', 'sas.step:j:s', 'e4')
    expect(both.broken()).toEqual([])
  })
})

describe('the judge, checking jobs and steps,', () => {
  const begun = (): AHistory => new AHistory().write('client', [aStep()]).write('client', [aJob()])
  const called = (call = {}, ending = {}): AHistory =>
    begun().operation('m1', 'handler', [aCall(call), {}], ending)
  const settled = (fields: Readonly<Record<string, unknown>>) => ({ ...aDoneStep(fields), on: 'e1' })
  const outcome = { kind: 'success', attempt: 1, at: new Date(1).toISOString(), by: 'm1' }

  it('rejects a fence that decreases, and one that two attempts share', () => {
    const back = called().write('m1', [{ ...aStep({ fence: 0 }), on: 'e1' }])
    expect(back.broken()).toEqual(['never-back'])
    const shared = called().write('m1', [{ ...aStep({ dispatch: 2 }), on: 'e1' }])
    expect(shared.broken()).toEqual(['dispatch-fence'])
  })

  it('rejects a second outcome of an attempt', () => {
    const failed = { kind: 'failed', attempt: 1, at: new Date(1).toISOString(), by: 'm1' }
    const twice = called()
      .write('m1', [{ ...aStep({ outcome: failed }), on: 'e1' }])
      .write('m1', [{ ...aDoneStep(), on: 'e3' }])
    expect(twice.broken()).toEqual(['one-outcome'])
  })

  it('rejects the outcome of another attempt, or of a call without a result', () => {
    const other = called({ attempt: 2 }).write('m1', [settled({ outcome: { ...outcome, attempt: 2 } })])
    expect(other.broken()).toEqual(['own-outcome'])
    const none = called({}, { end: 'info' }).write('m1', [settled({})])
    expect(none.broken()).toEqual(['own-outcome'])
  })

  it('rejects an outcome after the deadline, by its own time or by the end of its handler', () => {
    const late = called().write('m1', [
      settled({ outcome: { ...outcome, at: new Date(1_000).toISOString() } }),
    ])
    expect(late.broken()).toEqual(['deadline'])
    const hidden = begun()
      .later(2_000)
      .operation('m1', 'handler', [aCall(), {}])
      .write('m1', [settled({})])
    expect(hidden.broken()).toEqual(['deadline'])
    const stepped = begun()
      .note('m1', 'clock')
      .later(2_000)
      .operation('m1', 'handler', [aCall(), {}])
      .write('m1', [settled({})])
    expect(stepped.broken()).toEqual([])
  })

  it('rejects a job that continues after its end without an operator’s decision', () => {
    const ended = () => called().write('m1', [{ ...aJob({ processState: 'Error' }), on: 'e2' }])
    expect(
      ended()
        .write('m1', [{ ...aJob(), on: 'e3' }])
        .broken(),
    ).toEqual(['ended'])
    const audit = [{ command: 'resubmit', why: 'mended' }]
    expect(
      ended()
        .write('client', [{ ...aJob({ audit }), on: 'e3' }])
        .broken(),
    ).toEqual([])
    expect(
      ended()
        .write('client', [{ ...aJob({ audit: [...audit, ...audit] }), on: 'e3' }])
        .broken(),
    ).toEqual(['one-decision'])
  })

  it('rejects a time to live on a job that has not ended', () => {
    expect(
      called()
        .write('m1', [{ ...aJob({ ttl: 60 }), on: 'e2' }])
        .broken(),
    ).toEqual(['nothing-live-expires'])
  })
})

describe('the judge, checking effects,', () => {
  const steps = (): AHistory =>
    new AHistory().write('client', [
      aJob({ stepIds: ['s', 't'] }),
      aStep(),
      aStep({ id: 'sas.step:j:t', stepId: 't', dependsOn: ['s'] }),
    ])
  const undo = aCall({ kind: 'undo', key: 'j/s/g1/undo', undoes: 'j/s/g1/do', deadline: 2_000 })
  const reversal = anEffect({ kind: 'undo', key: 'j/s/g1/undo', undoes: 'j/s/g1/do', receipt: 9 })
  const doing = (history: AHistory, fields = {}): AHistory =>
    history.operation('m1', 'handler', [aCall(fields), {}], { end: 'info' })

  it('rejects a second key, unless the first key was undone or the input was edited', () => {
    const second = { key: 'j/s/g2/do', receipt: 2 }
    const again = (between: (history: AHistory) => AHistory): readonly string[] =>
      doing(between(doing(steps()).note('remote', 'effect', anEffect())), second)
        .note('remote', 'effect', anEffect(second))
        .broken()
    expect(again((history) => history)).toEqual(['key-kept', 'one-effect'])
    expect(again((history) => history.note('remote', 'effect', reversal))).toEqual([])
    const edit = { command: 'resubmit', jobId: 'j', step: 's', isEdited: true }
    expect(again((history) => history.operation('client', 'command', [edit, {}], { end: 'info' }))).toEqual(
      [],
    )
  })

  it('rejects a Compensated job with an effect that was not undone', () => {
    const compensated = { ...aJob({ processState: 'Compensated' }), on: 'e1' }
    const left = steps().note('remote', 'effect', anEffect())
    expect(left.write('m1', [compensated]).broken()).toEqual(['undone'])
    const undone = steps().note('remote', 'effect', anEffect()).note('remote', 'effect', reversal)
    expect(undone.write('m1', [compensated]).broken()).toEqual([])
  })

  it('rejects an attempt that is dispatched after its undo', () => {
    const back = { direction: 'undo', idempotencyKey: 'j/s/g1/undo', dispatch: 2, fence: 2 }
    const after = steps()
      .write('m1', [{ ...aStep(back), on: 'e2' }])
      .write('m1', [{ ...aStep({ dispatch: 3, fence: 3 }), on: 'e4' }])
    expect(after.broken()).toEqual(['nothing-after-undo'])
  })

  it('rejects a step that runs before a step it depends on', () => {
    expect(doing(steps(), { stepId: 't', key: 'j/t/g1/do' }).broken()).toEqual(['dependencies'])
  })

  it('rejects an undo before the undo of a dependent step', () => {
    const both = (history: AHistory): AHistory =>
      history
        .note('remote', 'effect', anEffect())
        .note('remote', 'effect', anEffect({ stepId: 't', key: 'j/t/g1/do', receipt: 2 }))
    expect(both(steps()).operation('m1', 'handler', [undo, {}]).broken()).toEqual(['reverse-order'])
  })

  it('rejects a Processed job without the effect of a step', () => {
    const done = { ...aJob({ processState: 'Processed', stepIds: ['s', 't'] }), on: 'e1' }
    expect(steps().write('m1', [done]).broken()).toEqual(['done-is-done'])
  })

  it('rejects an undo whose input differs from the output of its step', () => {
    const returned = (receipt: number): readonly string[] =>
      aGoodJob()
        .note('remote', 'effect', reversal)
        .operation('m1', 'handler', [{ ...undo, receipt }, {}])
        .broken()
    expect(returned(1)).not.toContain('undo-input')
    expect(returned(7)).toContain('undo-input')
  })
})

describe('the judge, checking answers to callers,', () => {
  it('rejects an accepted job that is missing or has not ended', () => {
    expect(accepted(new AHistory()).broken()).toEqual(['accepted', 'whole-submission'])
    const open = new AHistory().write('client', [aJob(), aStep(), { id: 'own-j' }])
    expect(accepted(open).broken()).toEqual(['accepted'])
  })

  it('accepts a job that has planned a step, and rejects a step that is stored and still planned (I45)', () => {
    const planning = aJob({ planned: [{ id: 's' }] })
    const submitted = () => new AHistory().write('client', [planning, { id: 'own-j' }])
    expect(accepted(submitted()).broken()).toEqual(['accepted'])
    const begun = submitted().write('m1', [{ ...aJob(), on: 'e1' }, aStep()])
    expect(accepted(begun).broken()).not.toContain('planned-or-stored')
    const both = submitted().write('m1', [{ ...planning, on: 'e1' }, aStep()])
    expect(accepted(both).broken()).toContain('planned-or-stored')
    expect(accepted(submitted().write('m1', [aStep()])).broken()).toContain('planned-or-stored')
  })

  it('rejects two different submissions of one id that were both accepted', () => {
    const other = aGoodJob().operation('client', 'submit', [{ jobId: 'j', input: 2 }, {}])
    expect(other.broken()).toEqual(['submitted-once'])
  })

  it('rejects an accepted command that is not on record, or has no effect', () => {
    const cancel = { command: 'cancel', jobId: 'j', why: 'unwanted' }
    expect(aGoodJob().operation('client', 'command', [cancel, {}]).broken()).toEqual(['command-stands'])
    const audit = [{ command: 'cancel', why: 'unwanted' }]
    const ignored = new AHistory()
      .write('client', [aJob({ audit, stepIds: [] })])
      .operation('client', 'command', [cancel, {}])
      .write('m1', [{ ...aJob({ audit, stepIds: [], processState: 'Processed' }), on: 'e1' }])
    expect(ignored.broken()).toEqual(['command-stands'])
  })

  it('rejects notices that are missing, out of order, or recorded as sent but not sent', () => {
    const job = aJob({ processState: 'Processed', stepIds: [], replyTo: 'container:replies', notifySeq: 2 })
    const notice = (seq: number, fields = {}) => ({
      id: `sas.notify:j:${seq}`,
      seq,
      kind: seq === 2 ? 'finished' : 'received',
      state: seq === 2 ? 'Processed' : 'Pending',
      sentAt: null,
      ...fields,
    })
    const reply = (seq: number) => ({ id: `reply:sas.notify:j:${seq}` })
    const told = (): AHistory => new AHistory().write('m1', [job, notice(1), notice(2)])
    expect(
      told()
        .write('m1', [reply(1)])
        .write('m1', [reply(2)])
        .broken(),
    ).toEqual([])
    expect(
      told()
        .write('m1', [reply(2)])
        .write('m1', [reply(1)])
        .broken(),
    ).toEqual(['notices'])
    expect(new AHistory().write('m1', [job, notice(1)]).broken()).toEqual(['notices'])
    const sent = told().write('m1', [{ ...notice(1, { sentAt: 'now' }), on: 'e2' }])
    expect(sent.broken()).toEqual(['notices'])
  })

  it('rejects a write of a user’s document', () => {
    const touched = aGoodJob().write('m1', [{ id: 'own-j', note: 'ours', on: 'e3' }])
    expect(touched.broken()).toEqual(['yours-untouched'])
  })
})

describe('the judge, checking leases,', () => {
  const held = (): AHistory => new AHistory().write('m1', [aLease()])
  const change = { id: 'o', pk: 'p', etag: 'o1', lsn: 5 }
  const deliver = (history: AHistory, process: string, documents = [change]): AHistory =>
    history.operation(process, 'deliver', [{ lease: '0', documents }, {}])

  it('rejects a takeover before the expiration', () => {
    expect(
      held()
        .later(2_000)
        .write('m2', [{ ...aLease({ Owner: 'm2' }), on: 'e1' }])
        .broken(),
    ).toEqual(['taken-when-expired'])
    expect(
      held()
        .later(3_001)
        .write('m2', [{ ...aLease({ Owner: 'm2' }), on: 'e1' }])
        .broken(),
    ).toEqual([])
  })

  it('rejects an instance that changes the owner or the position of another one’s lease', () => {
    const named = held().write('m2', [{ ...aLease({ Owner: null }), on: 'e1' }])
    expect(named.broken()).toEqual(['own-lease'])
    const moved = held().write('m2', [{ ...aLease({ ContinuationToken: '"7"' }), on: 'e1' }])
    expect(moved.broken()).toEqual(['own-lease'])
  })

  it('accepts that an instance frees the lease of a process that has ended, and not of its successor', () => {
    const free = { ...aLease({ Owner: null }), on: 'e1' }
    expect(
      held().note('runner', 'fault', { fault: 'kill', target: 'm1' }).write('m2', [free]).broken(),
    ).toEqual([])
    expect(
      held().note('runner', 'fault', { fault: 'kill', target: 'm3' }).write('m2', [free]).broken(),
    ).toEqual(['own-lease'])
    const again = held()
      .note('runner', 'fault', { fault: 'kill', target: 'm1' })
      .write('m1', [{ ...aLease(), on: 'e1' }])
    expect(again.write('m2', [{ ...free, on: 'e2' }]).broken()).toEqual(['own-lease'])
  })

  it('accepts that an instance frees the lease of a killed process, although it asked for the lease meanwhile', () => {
    const asked = held()
      .note('runner', 'fault', { fault: 'kill', target: 'm1' })
      .write('m2', [{ ...aLease({ properties: { 'stepward.handover': 'm2' } }), on: 'e1' }])
    expect(asked.write('m2', [{ ...aLease({ Owner: null }), on: 'e2' }]).broken()).toEqual([])
  })

  it('accepts that an instance frees the lease of a process that has left, although it wrote while leaving', () => {
    const free = { ...aLease({ Owner: null }), on: 'e2' }
    const left = (): ReturnType<typeof held> =>
      held()
        .note('runner', 'fault', { fault: 'leave', target: 'm1' })
        .write('m1', [{ ...aLease(), on: 'e1' }])
    expect(left().write('m2', [free]).broken()).toEqual([])
    const alive = left()
      .write('m2', [free])
      .write('m1', [{ ...aLease({ Owner: 'm1' }), on: 'e3' }])
    expect(alive.broken()).toContain('own-lease')
  })

  it('rejects a delivery by an instance whose lease has expired or has another owner', () => {
    const taken = held()
      .later(4_000)
      .write('m2', [{ ...aLease({ Owner: 'm2' }), on: 'e1' }])
    expect(deliver(taken, 'm1').broken()).toContain('one-owner')
    expect(deliver(held().later(4_000), 'm1').broken()).toEqual(['trusted'])
    expect(deliver(held(), 'm1').broken()).toEqual([])
  })

  it('rejects a position that passes an unaccepted change, or goes back', () => {
    const page = { documents: [{ ...change, container: 'orders', digest: '' }], next: '"5"' }
    const read = (): AHistory =>
      held().operation('m1', 'feed', [{ container: 'orders', range: '0', from: null }, page])
    const stored = { ...aLease({ ContinuationToken: '"5"' }), on: 'e1' }
    expect(read().write('m1', [stored]).broken()).toEqual(['checkpoint', 'delivered'])
    const fair = deliver(read(), 'm1').write('m1', [stored])
    expect(fair.broken()).toEqual([])
    expect(fair.write('m1', [{ ...aLease({ ContinuationToken: '"4"' }), on: 'e2' }]).broken()).toEqual([
      'position-never-back',
    ])
  })

  it('rejects changes of one key in the wrong order', () => {
    const first = deliver(held(), 'm1', [{ ...change, lsn: 9 }])
    expect(deliver(first, 'm1', [{ ...change, lsn: 8 }]).broken()).toEqual(['in-order'])
  })
})
