import { describe, expect, it } from 'vitest'
import { mustRead, readers, rolesToWake } from '../../../../src/sas/decisions/readers.js'
import type { StateDocument, StateWrite } from '../../../../src/sas/store/state-store.js'
import { aJob, aStep } from '../../../support/a-job.js'

const job = aJob()
const attention = { kind: 'error' as const, since: '', by: 's', message: 'down', stepId: null }
const ended = aJob({ processState: 'Processed', endedAtMs: 1 })
const flagged = aJob({ processState: 'Error', endedAtMs: 1, attention })
const open = aStep({ dispatch: 1, lockedBy: 'scheduler-1', completeByMs: 9, processState: 'Processing' })
const done = aStep({ dispatch: 1, processState: 'Processed' })
const notice = { id: 'sas.notify:job-1:1', pk: 'job-1', type: 'sas.notify', completeByMs: 9 }
const unreadable = { id: 'sas.unreadable:sas.job:job-1', pk: 'job-1', type: 'sas.unreadable' }
const outcome = { kind: 'failed' as const, attempt: 1, at: '', by: 'agents-1' }
const success = { kind: 'success' as const, attempt: 1, at: '', by: 'agents-1', didNothing: false }
const accepted = { ...success, accepted: true }
const order = { id: 'order-1', pk: 'job-1', lockedBy: null, outcome: null, dispatch: 1, completeByMs: 9 }

describe('the roles that must read a document', () => {
  it.each<[string, StateDocument, string[]]>([
    ['a job', job, ['scheduler', 'supervisor']],
    ['a job of a scheduler', aJob({ lockedBy: 'scheduler-1' }), ['scheduler', 'supervisor']],
    ['a job that ended well', ended, []],
    ['a job that ended and must begin to expire', { ...ended, retainForMs: 1 }, ['scheduler']],
    ['a job that expires', { ...ended, retainForMs: 1, ttl: 60 }, []],
    ['a job that was undone', aJob({ processState: 'Compensated' }), ['supervisor']],
    ['a job in Error', flagged, ['supervisor', 'notifier']],
    ['a flagged job that goes on', { ...job, attention }, ['scheduler', 'supervisor', 'notifier']],
    ['a step before its first dispatch', aStep(), []],
    ['an open step', open, ['agents', 'supervisor']],
    ['a step whose attempt failed for now', { ...open, outcome }, ['supervisor']],
    ['a step given back, to be tried later', { ...done, completeByMs: 9 }, ['scheduler', 'supervisor']],
    ['a step whose attempt ended', done, ['scheduler']],
    ['a step whose success the ledger has', { ...done, outcome: accepted }, []],
    ['such a step after it was returned', aStep({ dispatch: 1, outcome: accepted }), ['scheduler']],
    ['a notice to be sent', notice, ['notifier']],
    ['a notice that was sent', { ...notice, completeByMs: null }, []],
    ['the record of an unreadable document', unreadable, ['notifier']],
    ['a document of the user', order, []],
    ['a document of the user that looks locked', { ...order, lockedBy: 'ann' }, []],
  ])('%s', (_what, document, expected) => {
    expect(readers.filter((reader) => mustRead[reader](document))).toEqual(expected)
  })
})

describe('the roles that a write wakes', () => {
  const claimed = aJob({ lockedBy: 'scheduler-1', processState: 'Processing' })

  it.each<[string, StateDocument[], string[]]>([
    ['a job without an owner', [job], ['scheduler']],
    ['an outcome', [done], ['scheduler']],
    ['an attempt that failed for now', [{ ...open, outcome }], ['supervisor']],
    ['a step given back, to be tried later', [{ ...done, completeByMs: 9 }], ['scheduler', 'supervisor']],
    ['an open step that a supervisor offers again', [open], ['agents']],
    ['a dispatch, whose scheduler knows what it could not start', [claimed, done, open], []],
    ['a dispatch of what sleeps', [claimed, { ...done, completeByMs: 9 }], ['supervisor']],
    ['the end of a job', [ended, done], []],
    ['the end of a job in Error, with an open step', [{ ...flagged, attention: null }, open], []],
    ['the end of a job, with a notice of it', [ended, done, notice], ['notifier']],
    ['the end of a job that must begin to expire', [{ ...ended, retainForMs: 1 }], []],
    ['a notice that was sent', [{ ...notice, completeByMs: null }], []],
    ['a job that is flagged', [flagged], ['notifier']],
    ['the record of an unreadable document', [unreadable], ['notifier']],
    ['a document of the user', [order], []],
  ])('%s', (_what, documents, expected) => {
    const written = documents.map((document): StateWrite => ({ kind: 'replace', document, ifMatch: 'e' }))
    expect(rolesToWake(written)).toEqual(expected)
  })

  it('include none for a new job and its steps, but the notifier for a new notice', () => {
    const written = [job, aStep(), order].map((document): StateWrite => ({ kind: 'create', document }))
    expect(rolesToWake(written)).toEqual([])
    const notices = [job, notice].map((document): StateWrite => ({ kind: 'create', document }))
    expect(rolesToWake(notices)).toEqual(['notifier'])
  })

  it('include the roles that must read any other new document', () => {
    expect(rolesToWake([{ kind: 'create', document: done }])).toEqual(['scheduler'])
  })
})
