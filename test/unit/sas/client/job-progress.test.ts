import { expect, it } from 'vitest'
import { summaryOf } from '../../../../src/sas/client/call-arguments.js'
import { viewOf } from '../../../../src/sas/client/job-view.js'
import { JobStory } from '../../../support/job-story.js'

const permanent = { kind: 'permanent', message: 'no such card', didNothing: true } as const

/** A job whose last step failed for good, so that its done step is being undone. */
const undoing = JobStory.submitted({ a: [], b: ['a'] }, { undo: true, onExhausted: 'compensate' })
  .scheduled()
  .concluded('a')
  .concluded('b', permanent)

it.each([
  ['whose undo is under way', undoing, 1],
  ['whose undo failed', undoing.concluded('a', permanent), 1],
  ['whose undo succeeded', undoing.concluded('a'), 0],
])('a step %s counts as done until it is undone', (_case, { job }, stepsDone) => {
  expect(summaryOf(job)).toMatchObject({ stepsDone, stepCount: 2 })
})

it('a step that is being undone shows the failed attempts of its undo', () => {
  const { job, steps } = undoing.concluded('a', permanent)
  expect(viewOf(job, [...steps.values()], { now: 0 }).steps[0]).toMatchObject({
    stepId: 'a',
    failureCount: 1,
  })
})
