import { describe, expect, it } from 'vitest'
import { pausedText } from '../../../src/page/browser/now/paused-text.js'
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
  filter: null,
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

describe('the line about pauses', () => {
  const paused = (kind: 'workflow' | 'agent' | 'key', name: string) => ({
    kind,
    name,
    since: '',
    by: '',
    why: '',
  })
  const jobs = (count: number) => Array.from({ length: count }, () => ({}) as never)

  it('names what is paused, and counts the jobs', () => {
    expect(pausedText({ paused: [], jobs: [], isCut: false })).toBeNull()
    const some = [paused('workflow', 'buying'), paused('key', 'bank')]
    expect(pausedText({ paused: some, jobs: jobs(1), isCut: false })).toBe(
      'Paused: workflow buying, limit bank, 1 job',
    )
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => paused('agent', name))
    expect(pausedText({ paused: many, jobs: jobs(100), isCut: true })).toBe(
      'Paused: agent a, agent b, agent c, agent d, 1 more, more than 100 jobs',
    )
  })
})
