import { expect, it } from 'vitest'
import { recordedMoments } from '../../../../src/sas/client/history/from-record.js'
import { JobStory } from '../../../support/job-story.js'

const wordsOf = ({ job, steps }: JobStory): string[] =>
  recordedMoments(job, [...steps.values()]).flatMap(({ changes }) =>
    changes.map(({ stepId, what }) => `${stepId ?? 'job'}: ${what.join('; ')}`),
  )

it('the record of a job distinguishes the success of an undo from the success of its step', () => {
  const success = { kind: 'success', output: null } as const
  const done = JobStory.submitted({ pay: [] }, { undo: true }).scheduled().settled('pay', success)
  expect(wordsOf(done)).toContain('pay: attempt 1 succeeded')
  const undone = done
    .later(1_000)
    .commanded({ kind: 'cancel', by: 'ann', why: 'x' })
    .scheduled()
    .settled('pay', success)
  expect(wordsOf(undone)).toContain('pay: undo attempt 1 succeeded')
  expect(wordsOf(undone)).not.toContain('pay: attempt 1 succeeded')
})
