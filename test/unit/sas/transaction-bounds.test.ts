import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OperatorCommand } from '../../../src/sas/decisions/operator/request.js'
import { isOpen } from '../../../src/sas/decisions/settle.js'
import { submit } from '../../../src/sas/submission/submit.js'
import { maxOperations } from '../../../src/sas/store/transaction.js'
import { aSubmission, aWorkflow, documentsOf } from '../../support/a-job.js'
import { JobStory, success } from '../../support/job-story.js'

const by = { by: 'ann', why: 'x' }
const commands = ['resubmit', 'release', 'cancel'] as const
const policies = ['error', 'compensate', 'compensateThenRetry', 'park'] as const
/** What happens to all open steps at once, or a command of an operator. */
const moves = ['success', 'permanent', 'mixed', 'expire', ...commands] as const
type Move = (typeof moves)[number]

const jobs = fc.record({
  width: fc.integer({ min: 80, max: 200 }),
  /** Steps that wait for all of the first ones. */
  later: fc.integer({ min: 0, max: 100 }),
  onExhausted: fc.constantFrom(...policies),
  hasReply: fc.boolean(),
  isRetained: fc.boolean(),
  moves: fc.array(fc.constantFrom(...moves), { minLength: 2, maxLength: 6 }),
})
type Case = typeof jobs extends fc.Arbitrary<infer C> ? C : never

const wide = { width: 200, later: 0, hasReply: true, isRetained: true } as const
/** Cases that chance seldom generates. */
const examples: [Case][] = [
  [{ ...wide, onExhausted: 'park', moves: ['permanent', 'release', 'permanent', 'release'] }],
  [{ ...wide, onExhausted: 'error', moves: ['permanent', 'resubmit', 'success'] }],
  [{ ...wide, onExhausted: 'compensate', moves: ['mixed', 'permanent', 'resubmit', 'success', 'resubmit'] }],
]

function begun({ width, later, onExhausted, hasReply, isRetained }: Case): JobStory {
  const ids = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  const first = ids('a', width)
  const entries = [
    ...first.map((id): [string, string[]] => [id, []]),
    ...ids('b', later).map((id): [string, string[]] => [id, first]),
  ]
  const shape = Object.fromEntries(entries)
  const { plan } = aWorkflow(shape, { onExhausted, undo: true, retry: { tries: 1 } })
  const options = { replyTo: hasReply ? 'queue' : null, retainForMs: isRetained ? 1_000 : null }
  return JobStory.of(documentsOf(submit(aSubmission(plan, options))))
}

/** Applies decisions of the scheduler until there are no more. Each write must fit one transaction. */
function settledDown(story: JobStory): JobStory {
  let next = story
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const decision = next.deciding()
    if (decision.kind !== 'write') return next
    // 2 stands for the job itself and the outcome that a scheduler may write in the same transaction.
    expect(2 + decision.changed.length + decision.notices.length).toBeLessThanOrEqual(maxOperations)
    next = next.applying(decision)
  }
  throw new Error('the scheduler does not come to an end')
}

function moved(story: JobStory, move: Move): JobStory {
  const open = [...story.steps.values()].filter((step) => isOpen(step, story.now))
  switch (move) {
    case 'success':
    case 'permanent':
    case 'mixed':
      return open.reduce((before, { stepId }, index) => {
        const isFailure = move === 'permanent' || (move === 'mixed' && index % 3 === 0)
        return before.settled(stepId, isFailure ? { kind: 'permanent', message: 'no' } : success)
      }, story)
    case 'expire':
      return open.reduce((before, { stepId }) => before.expired(stepId), story)
    case 'resubmit':
    case 'release':
    case 'cancel':
      return commanded(story, { kind: move, ...by })
  }
}

function commanded(story: JobStory, command: OperatorCommand): JobStory {
  const operation = story.commanding(command)
  if (operation.kind === 'refused') return story
  expect(1 + operation.changed.length).toBeLessThanOrEqual(maxOperations)
  const next = story.commanded(command)
  return operation.isComplete ? next : commanded(next, command)
}

describe('a decision about a job of many steps (I16)', () => {
  it('never writes more than one transaction holds', () => {
    fc.assert(
      fc.property(jobs, (job) => {
        job.moves.reduce((story, move) => settledDown(moved(story, move)), settledDown(begun(job)))
      }),
      { numRuns: 12, examples },
    )
  })
})
