import { describe, expect, it } from 'vitest'
import { needs } from '../../../src/page/browser/now/need-you.js'

type Group = Parameters<typeof needs>[0]['groups'][number]
type Question = Parameters<typeof needs>[1]['questions'][number]

const aGroup = (parts: Partial<Group>): Group => ({
  workflow: 'claiming',
  kind: 'unanswered',
  stepId: 'review',
  message: '',
  since: '',
  jobIds: [],
  triaged: [],
  advice: '',
  command: '',
  ...parts,
})
const asks = (jobId: string, stepId = 'review'): Question => ({ jobId, stepId }) as Question

describe('what needs a person', () => {
  it('counts a question whose job is flagged for it once, and all others beside the problems', () => {
    const groups = [
      aGroup({ jobIds: ['a', 'b'] }),
      aGroup({ kind: 'escalated', jobIds: ['c'] }),
      aGroup({ kind: 'error', stepId: 'pay', jobIds: ['d'] }),
    ]
    const questions = [asks('a'), asks('b'), asks('c'), asks('d'), asks('e'), asks('a', 'other')]
    expect(needs({ groups, jobs: 4, notices: 1 }, { questions })).toEqual({ total: 8, questions: 6 })
    expect(needs({ groups: [], jobs: 0, notices: 0 }, { questions: [] })).toEqual({ total: 0, questions: 0 })
  })
})
