import { describe, expect, it } from 'vitest'
import type { Change } from '../../../../src/change-feed-processor/index.js'
import { jobDocumentId, stepDocumentId } from '../../../../src/sas/model/document-ids.js'
import { ForeseenJobs } from '../../../../src/sas/scheduler/memory/foreseen-jobs.js'

const address = { pk: 'p', id: jobDocumentId('job-1') }
const job = { ...address, type: 'sas.job', lockedBy: 's', _etag: 'j', _ts: 1, _lsn: 1 } as unknown as Change

function stepAt(version: number): Change {
  const id = stepDocumentId('job-1', 'pay')
  return {
    pk: 'p',
    id,
    type: 'sas.step',
    jobId: 'job-1',
    _etag: String(version),
    _ts: 1,
    _lsn: version,
  }
}

describe('the jobs that a scheduler foresees', () => {
  it('have only the newest version of each step, however often a step is written', () => {
    const foreseen = new ForeseenJobs()
    foreseen.put([job], () => false)
    for (let version = 1; version <= 1_000; version += 1) foreseen.put([stepAt(version)], () => false)
    expect(foreseen.take(address)).toEqual([job, stepAt(1_000)])
    expect(foreseen.take(address)).toEqual([])
  })
})
