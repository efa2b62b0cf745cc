import { describe, expect, it } from 'vitest'
import type { VersionFields } from '../../src/emulator/engine/index.js'
import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { stateContainer } from '../../src/testing/job-fleet.js'
import { aJob, aStep } from '../support/a-job.js'
import { RestartChecker } from './restart-checker.js'

const link = { from: 'pay', at: '', by: 'ann', why: 'x' }
const version = (document: object | null): VersionFields | null =>
  document && ({ text: JSON.stringify(document) } as VersionFields)

/** A checker that has seen the restart of job `a` as job `b`, which carried over step `pay`. */
class Restarted {
  readonly checker = new RestartChecker()
  readonly carried = aStep({
    id: 's-b-pay',
    jobId: 'b',
    stepId: 'pay',
    keyJobId: 'a',
    processState: 'Processed',
  })

  constructor() {
    this.write(null, aJob({ jobId: 'a', restartedAs: { jobId: 'b', from: 'ship' } }))
    this.write(null, aJob({ jobId: 'b', restartOf: { jobId: 'a', ...link } }))
    this.write(null, this.carried)
  }

  write(before: object | null, after: JobDocument | StepDocument): readonly string[] {
    const change = { container: stateContainer, by: null, before: version(before), after: version(after) }
    return this.checker.check({ type: 'written', ...change })
  }

  /** Job `jobId` calls the undo of its step `pay`. */
  undo(jobId: string, undoes: string): readonly string[] {
    const call = { processId: 'p', jobId, stepId: 'pay', attempt: 1, key: 'k', undoes, asked: 'x' }
    return this.checker.check({ type: 'called', ...call, effect: 'undone' })
  }
}

describe('the checker of restarts', () => {
  it('accepts the undo of a carried step by the new job, under the key that the service knows', () => {
    expect(new Restarted().undo('b', 'a/pay/g0/do')).toEqual([])
  })

  it('finds an undo by the job that was restarted (I34)', () => {
    expect(new Restarted().undo('a', 'a/pay/g0/do')).toEqual([
      'I34: a undoes a/pay/g0/do, which belongs to b',
    ])
  })

  it('finds an undo by a job to which the effect never belonged (I34)', () => {
    expect(new Restarted().undo('c', 'a/pay/g0/do')).toEqual([
      'I34: c undoes a/pay/g0/do, which belongs to b',
    ])
  })

  it('finds an undo under a key that the service does not know (I34)', () => {
    expect(new Restarted().undo('b', 'b/pay/g0/do')).toEqual([
      'I34: b undoes b/pay/g0/do, and the step acted under keys of a',
    ])
  })

  it('finds a carried step that lost the keys under which it acted (I34)', () => {
    const { carried } = new Restarted()
    const { keyJobId: _key, ...keyless } = { ...carried, id: 's-b-ship', stepId: 'ship' }
    expect(new Restarted().write(null, keyless)).toEqual([
      'I34: s-b-ship was carried over with keys of b, and it acted under keys of a',
    ])
  })

  it('finds a carried step that is done again (I34)', () => {
    const restarted = new Restarted()
    const { carried } = restarted
    const again = { ...carried, dispatch: carried.dispatch + 1 }
    expect(restarted.write(carried, again)).toEqual(['I34: s-b-pay was carried over and is done again'])
  })

  it('finds a step of the restarted job that is dispatched (I33)', () => {
    const step = aStep({ id: 's-a-ship', jobId: 'a', stepId: 'ship' })
    expect(new Restarted().write(step, { ...step, dispatch: step.dispatch + 1 })).toEqual([
      'I33: s-a-ship was dispatched, and its job was restarted as b',
    ])
  })
})
