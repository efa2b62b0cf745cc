import { describe, expect, it } from 'vitest'
import { stepsText } from '../../../../src/cli/output/steps-text.js'
import { shown as inPipe } from '../../../../src/cli/output/terminal.js'
import { viewOf, type StepView } from '../../../../src/sas/client/job-view.js'
import { JobStory } from '../../../support/job-story.js'

const { job, steps } = JobStory.submitted({ pay: [] })
const [pay] = viewOf(job, [...steps.values()], { now: 0 }).steps as [StepView]
const attention = { kind: 'parked', since: '', by: 'x', message: 'no', stepId: null } as const

/** Returns steps with the names `a0`, `a1` and so on. */
function many(name: string, count: number, parts: Partial<StepView>): StepView[] {
  return Array.from({ length: count }, (_, index) => ({ ...pay, ...parts, stepId: `${name}${index}` }))
}

function lines(shown: readonly StepView[]): string[] {
  return inPipe(stepsText(shown, { width: 80, now: 0 }), false).split('\n')
}

/** Returns the first word of each row below the head of the table. */
function rows(text: readonly string[]): string[] {
  const head = text.findIndex((line) => line.startsWith('STEP'))
  return text.slice(head + 1).map((line) => line.split(' ')[0] ?? '')
}

describe('the steps of a job', () => {
  it('are all shown if there are at most fifty', () => {
    const text = lines(many('done', 50, { state: 'Processed' }))
    expect(text).toHaveLength(51)
    expect(text[0]).toMatch(/^STEP +STATE/)
  })

  it('show how far they are, in 80 columns', () => {
    const parts = { completeBy: '2026-01-01T00:01:00.000Z', startedAt: '1969-12-31T20:00:00.000Z' }
    const progress = { done: 99_831, of: 100_000, note: '3 failed', at: '' }
    const text = lines([
      ...many('each', 1, { ...parts, state: 'Processing', progress }),
      ...many('calls', 1, { ...parts, state: 'Processing', progress: { note: 'two', at: '' } }),
      ...many('over', 1, { ...parts, state: 'Processed', progress }),
    ])
    expect(text[1]).toMatch(/ 99831 of 100000$/)
    expect(text[2]).toMatch(/ two$/)
    expect(text[3]).not.toContain('99831')
    for (const line of text) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('show the events that arrived before they begin', () => {
    const event = { payload: 1, at: '' } as NonNullable<StepView['event']>
    const collect = { count: 2, events: [{ key: 'a', payload: 1, at: '' }] }
    const text = lines([
      ...many('early', 1, { state: 'Pending', event }),
      ...many('some', 1, { state: 'Pending', collect }),
      ...many('over', 1, { state: 'Processed', event }),
    ])
    expect(text[1]).toMatch(/ its event has arrived$/)
    expect(text[2]).toMatch(/ 1 of 2 event.* arrived$/)
    expect(text[3]).not.toContain('arrived')
  })

  it('are counted if there are more, and those that failed, run or wait are shown', () => {
    const text = lines([
      ...many('done', 412, { state: 'Processed' }),
      ...many('runs', 2, { state: 'Processing' }),
      ...many('later', 80, { state: 'Pending' }),
      ...many('again', 1, { state: 'Pending', failureCount: 1 }),
      ...many('parked', 1, { state: 'Processing', attention }),
      ...many('late', 1, { state: 'TimedOut' }),
      ...many('left', 3, { state: 'Skipped' }),
    ])
    expect(text.slice(0, 2).join(' ')).toBe(
      '500 steps: 412 Processed, 81 Pending, 3 Processing, 3 Skipped, 1 TimedOut; --json shows every step',
    )
    expect(rows(text)).toEqual(['parked0', 'late0', 'runs0', 'runs1', 'again0'])
    for (const line of text) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('are cut off at fifty rows, after those that failed', () => {
    const text = lines([...many('runs', 90, { state: 'Processing' }), ...many('bad', 2, { state: 'Error' })])
    expect(rows(text).slice(0, 3)).toEqual(['bad0', 'bad1', 'runs0'])
    expect(text.at(-1)).toBe('… and 42 more steps that failed, run or wait')
    expect(rows(text)).toHaveLength(51)
  })

  it('are only counted if none failed, runs or waits', () => {
    expect(lines(many('done', 51, { state: 'Processed' }))).toEqual([
      '51 steps: 51 Processed; --json shows every step',
    ])
  })
})
