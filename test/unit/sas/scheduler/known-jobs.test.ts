import { expect, it } from 'vitest'
import { KnownJobs } from '../../../../src/sas/scheduler/memory/known-jobs.js'
import { noneSeen } from '../../../../src/sas/scheduler/memory/changed-jobs.js'
import type { StateStore } from '../../../../src/sas/store/state-store.js'
import { aJob, asChange, asStored } from '../../../support/a-job.js'

/** A store that only counts the reads of documents, and has none. */
function countingStore(): { readonly store: StateStore; readonly reads: string[] } {
  const reads: string[] = []
  const read = ({ id }: { readonly id: string }): Promise<null> => {
    reads.push(id)
    return Promise.resolve(null)
  }
  return { store: { read } as unknown as StateStore, reads }
}

function jobNumber(number: number, isEnded: boolean) {
  const jobId = `job-${number}`
  const end = isEnded ? { processState: 'Processed' as const, currentState: 'Completed', endedAtMs: 1 } : {}
  return aJob({ jobId, id: `sas.job:${jobId}`, pk: jobId, ...end })
}

it('forgets ended jobs that the feed has delivered, except the newest, and never open jobs', async () => {
  const { store, reads } = countingStore()
  const known = new KnownJobs(store)
  const open = jobNumber(0, false)
  known.note(asChange(open))
  const ended = Array.from({ length: 600 }, (_, index) => jobNumber(index + 1, true))
  const [first, last] = [ended[0], ended.at(-1)]
  if (first === undefined || last === undefined) throw new Error('there are ended jobs')
  for (const [index, job] of ended.entries()) {
    // Half of the jobs were written by this process, which recognises them.
    if (index % 2 === 0) known.putWritten({ document: asStored(job), replacedEtag: '"0"' }, [])
    known.note({ ...asChange(job), _etag: '"1"' })
  }
  for (const job of [open, last]) expect(await known.job(job, noneSeen())).not.toBeNull()
  expect(reads).toEqual([])
  for (const job of [first, ended[1] ?? first]) await known.job(job, noneSeen())
  expect(reads).toEqual(['sas.job:job-1', 'sas.job:job-2'])
})
