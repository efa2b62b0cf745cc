import { describe, expect, it } from 'vitest'
import type { JobDocument, NoticeDocument } from '../../../../src/sas/model/documents.js'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import type { Schedule } from '../../../../src/sas/decisions/continue-or-end-job.js'
import { noticeOf, withNotices } from '../../../../src/sas/decisions/notices.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { aJob, aSubmission, aWorkflow, documentsOf, submittedAtMs } from '../../../support/a-job.js'
import { JobStory, success } from '../../../support/job-story.js'
import { StateWorld } from '../../../support/state-world.js'

const permanent = { kind: 'permanent', message: 'no such card' } as const

function told(story: JobStory): JobStory {
  return story.withJob({ ...story.job, replyTo: 'https://shop.example/replies', notifySeq: 1 })
}

function noticesOf(decision: Schedule): readonly NoticeDocument[] {
  if (decision.kind !== 'write') throw new Error(`decided ${decision.kind}`)
  return decision.notices
}

describe('the notices to a submitter', () => {
  const submitted = told(JobStory.submitted({ a: [] }))

  it('begin with the receipt, in the transaction of the submission (R120, R121, R122)', () => {
    const writes = submit(aSubmission(aWorkflow().plan, { replyTo: 'https://shop.example/replies' }))
    const notices = writes.filter(({ document }) => decodeDocument(document).kind === 'notice')
    expect(notices.map(({ document }) => document)).toMatchObject([
      {
        id: `sas.notify:job-1:${submittedAtMs}:1`,
        seq: 1,
        kind: 'received',
        state: 'Pending',
        jobId: 'job-1',
        orderId: 'order-1',
        replyTo: 'https://shop.example/replies',
        sentAt: null,
        ttl: -1,
      },
    ])
    expect(documentsOf(writes).job.notifySeq).toBe(1)
  })

  it('have other ids than the notices of an earlier job with the same id (I13)', () => {
    const later = documentsOf(
      submit(aSubmission(aWorkflow().plan, { replyTo: 'queue', now: submittedAtMs + 1 })),
    )
    const [first] = noticesOf(told(JobStory.submitted({ a: [] })).deciding())
    const [second] = noticesOf(JobStory.of(later).deciding())
    expect([first?.seq, second?.seq, first?.id === second?.id]).toEqual([2, 2, false])
  })

  it('report only the events that the submitter asked for, numbered from 1', () => {
    const writes = submit(
      aSubmission(aWorkflow().plan, {
        replyTo: 'https://shop.example/replies',
        notify: ['finished', 'attention'],
      }),
    )
    const { job, steps } = documentsOf(writes)
    expect(writes.map(({ document }) => decodeDocument(document).kind)).not.toContain('notice')
    expect(job).toMatchObject({ notify: ['finished', 'attention'], notifySeq: 0 })
    const begun = JobStory.of({ job, steps })
    expect(noticesOf(begun.deciding())).toEqual([])
    const after = {
      ...job,
      attention: { kind: 'error' as const, since: 'now', by: 'x', message: 'gone', stepId: null },
    }
    expect(withNotices(job, after, 1)).toMatchObject({
      job: { notifySeq: 1 },
      notices: [{ kind: 'attention', seq: 1 }],
    })
  })

  it('report the start and the end, numbered, each in the transaction of that change (I13)', () => {
    expect(noticesOf(submitted.deciding())).toMatchObject([{ kind: 'started', seq: 2, state: 'Processing' }])
    const running = submitted.scheduled()
    expect(running.job.notifySeq).toBe(2)
    const done = running.settled('a', success)
    expect(noticesOf(done.deciding())).toMatchObject([{ kind: 'finished', seq: 3, state: 'Processed' }])
    expect(done.scheduled().job.notifySeq).toBe(3)
  })

  it('report that the job failed, and why (R121)', () => {
    const failed = submitted.scheduled().settled('a', permanent)
    expect(noticesOf(failed.deciding())).toMatchObject([
      { kind: 'attention', seq: 3, stepId: 'a', reason: 'step a: no such card' },
      { kind: 'finished', seq: 4, state: 'Error' },
    ])
  })

  it('report once that the job waits for an operator', () => {
    const parked = told(JobStory.submitted({ a: [], b: [] }, { onExhausted: 'park', retry: { tries: 1 } }))
      .scheduled()
      .expired('a')
      .expired('b')
    expect(noticesOf(parked.deciding())).toMatchObject([
      { kind: 'attention', stepId: 'a', state: 'Processing' },
    ])
    expect(parked.scheduled().deciding()).toEqual({ kind: 'nothing' })
  })

  const asked = aJob({ replyTo: 'https://shop.example/replies', notifySeq: 4 })
  const kindsOf = (before: Partial<JobDocument>, after: Partial<JobDocument>): string[] => {
    const { job, notices } = withNotices({ ...asked, ...before }, { ...asked, ...after }, 0)
    expect(job.notifySeq).toBe(4 + notices.length)
    return notices.map(({ kind }) => kind)
  }

  it('report the start once, and not for each step or for a later generation', () => {
    const ledgerOf = (a: number, b: number): JobDocument['steps'] => ({
      a: { state: 'NotStarted', dispatch: a },
      b: { state: 'NotStarted', dispatch: b },
    })
    expect(kindsOf({ steps: ledgerOf(0, 0) }, { steps: ledgerOf(1, 0) })).toEqual(['started'])
    expect(kindsOf({ steps: ledgerOf(1, 0) }, { steps: ledgerOf(1, 1) })).toEqual([])
    expect(
      kindsOf({ generation: 2, steps: ledgerOf(0, 0) }, { generation: 2, steps: ledgerOf(1, 0) }),
    ).toEqual([])
  })

  it('report each flag once, and a flag of another step or another kind separately', () => {
    const flag = { kind: 'parked' as const, since: 'then', by: 'x', message: 'waits', stepId: 'a' }
    expect(kindsOf({ attention: flag }, { attention: { ...flag, since: 'later' } })).toEqual([])
    expect(kindsOf({ attention: flag }, { attention: { ...flag, stepId: 'b' } })).toEqual(['attention'])
    expect(kindsOf({ attention: flag }, { attention: { ...flag, kind: 'extendedWait' } })).toEqual([
      'attention',
    ])
    expect(kindsOf({ attention: flag }, { attention: null })).toEqual([])
  })

  it('do not exist for a job without `replyTo`, which is written unchanged', () => {
    const silent = aJob({ replyTo: null })
    expect(withNotices(silent, { ...silent, processState: 'Processed' }, 0)).toEqual({
      job: { ...silent, processState: 'Processed' },
      notices: [],
    })
    expect(noticeOf(silent, 'finished', { seq: 1, now: 0 }).replyTo).toBe('')
  })

  it('are not part of a decision about a job without `replyTo`', () => {
    expect(noticesOf(JobStory.submitted({ a: [] }).deciding())).toEqual([])
  })

  it('are stored by the scheduler in the transaction of the job (F-D9)', async () => {
    const world = new StateWorld()
    await world.submitted({ pay: [] }, {}, { replyTo: 'https://shop.example/replies' })
    await world.scheduler().onChanges(await world.changes())
    const [written] = world.faults.writes
    expect(written?.map(({ document }) => document.id)).toEqual([
      'sas.job:job-1',
      'sas.step:job-1:pay',
      `sas.notify:job-1:${submittedAtMs}:2`,
    ])
    await world.scheduler('scheduler-2').onChanges(await world.changes())
    expect(world.telemetry.of('document.refused')).toEqual([])
  })
})

describe('a job with `retainFor`', () => {
  const story = JobStory.submitted({ a: [], b: ['a'] })
  const kept = story
    .withJob({ ...story.job, retainForMs: 3_600_000 })
    .scheduled()
    .concluded('a')

  it('begins to expire with all its steps in the transaction that ends it (I18, F-X8)', () => {
    const ended = kept.concluded('b')
    expect([ended.job.ttl, ended.step('a').ttl, ended.step('b').ttl]).toEqual([3_600, 3_600, 3_600])
    expect(ended.deciding()).toEqual({ kind: 'nothing' })
    expect(kept.settled('b', success).deciding(['b'])).toEqual({ kind: 'read', stepIds: ['a'] })
  })

  it('never expires while it is unfinished or in Error (I18)', () => {
    expect([kept.job.ttl, kept.step('a').ttl]).toEqual([-1, -1])
    expect(kept.concluded('b', permanent).job).toMatchObject({ processState: 'Error', ttl: -1 })
  })

  it('stops expiring when an operator resubmits it (I18)', () => {
    const undone = story
      .withJob({ ...story.job, retainForMs: 1_000 })
      .commanded({ kind: 'cancel', by: 'ann', why: 'x' })
      .scheduled()
    expect([undone.job.ttl, undone.step('a').ttl]).toEqual([1, 1])
    const again = undone.commanded({ kind: 'resubmit', by: 'ann', why: 'x' })
    expect([again.job.ttl, again.step('a').ttl, again.step('b').ttl]).toEqual([-1, -1, -1])
  })

  it('is kept forever when one of its steps is too large for a transaction (I16, F-D10)', () => {
    const withInput = kept.withJob({ ...kept.job, input: 'x'.repeat(100_000) })
    const large = withInput.settled('b', { kind: 'success', output: 'x'.repeat(1_850_000) }).scheduled()
    expect(large.job).toMatchObject({ processState: 'Processed', ttl: -1 })
    expect(large.deciding()).toEqual({ kind: 'nothing' })
  })
})
