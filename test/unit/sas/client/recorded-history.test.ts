import { expect, it } from 'vitest'
import { recordedMoments } from '../../../../src/sas/client/history/from-record.js'
import type { JobDocument } from '../../../../src/sas/model/documents.js'
import { aJob, submittedAtMs } from '../../../support/a-job.js'

const at = (second: number): string => new Date(submittedAtMs + second * 1_000).toISOString()
const undone = (second: number): Partial<JobDocument> => ({
  processState: 'Compensated',
  endedAt: at(50),
  compensation: { since: at(second), by: 'ann', reason: 'no', thenRetry: false },
})
const wordsOf = (parts: Partial<JobDocument>): string[] =>
  recordedMoments(aJob({ stepIds: [], ...parts }), []).flatMap(({ changes }) =>
    changes.flatMap(({ what }) => what),
  )

it('a failed job that was restarted ended as Error, and its own undo never began', () => {
  const restartedAs = { jobId: 'next', from: 'pay' }
  const told = wordsOf({ ...undone(60), restartedAs })
  expect(told.at(-1)).toBe('ended as Error')
  expect(told.join()).not.toContain('the undo began')
})

it('a job that was undone before its end is Compensated, also if it was restarted', () => {
  for (const parts of [undone(40), { ...undone(40), restartedAs: { jobId: 'next', from: 'pay' } }]) {
    const told = wordsOf(parts)
    expect(told.at(-1)).toBe('ended as Compensated')
    expect(told.join()).toContain('the undo began')
  }
})
