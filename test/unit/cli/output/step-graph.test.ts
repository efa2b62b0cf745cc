import { describe, expect, it } from 'vitest'
import { stepGraph } from '../../../../src/cli/output/step-graph.js'
import { shown as inPipe } from '../../../../src/cli/output/terminal.js'
import { viewOf } from '../../../../src/sas/client/job-view.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { JobStory, success } from '../../../support/job-story.js'

const room = { width: 60, height: 24, now: submittedAtMs }

function graph(story: JobStory, space = room): string {
  return inPipe(stepGraph(viewOf(story.job, [...story.steps.values()], { now: 0 }), space), false)
}

describe('the graph of a job', () => {
  it('shows each step under its dependencies, with its progress', () => {
    const story = JobStory.submitted({ hold: [], pay: ['hold'], mail: ['hold'], ship: ['pay', 'mail'] })
    const begun = story.scheduled().settled('hold', success).scheduled()
    expect(graph(begun)).toBe(
      [
        'job-1  shopping  Processing',
        '✓ hold      Processed',
        '  ▸ pay     Processing  until 00:01:00',
        '  ▸ mail    Processing  until 00:01:00',
        '    · ship  Pending',
      ].join('\n'),
    )
    const again = begun.expired('pay').scheduled()
    expect(graph(again)).toMatch(/▸ pay +Processing {2}attempt 2, until/)
  })

  it('shows how far a step is, and its round', () => {
    const begun = JobStory.submitted({ hold: [] }).scheduled()
    const progress = { done: 120, of: 500, note: 'invoices', at: '2026-01-01T00:00:00.000Z' }
    const repeat = { until: null, everyMs: 0, atMost: 9 }
    const round = { number: 3, first: 1, until: null, previous: null }
    const far = begun.withStep({ ...begun.step('hold'), progress, repeat, round })
    expect(graph(far, { ...room, width: 90 })).toMatch(
      /hold +Processing {2}120 of 500: invoices, round 3 of at most 9, until 00:01:00/,
    )
    const waits = { processState: 'Pending' as const, repeat, round }
    const between = begun.withStep({ ...begun.step('hold'), ...waits })
    expect(graph(between, { ...room, width: 90 })).toMatch(/Pending +round 3 of at most 9 at 00:01:00/)
  })

  it('shows the date of a deadline on another day', () => {
    const begun = JobStory.submitted({ hold: [] }).scheduled()
    expect(graph(begun, { ...room, now: submittedAtMs - 7 * 86_400_000 })).toContain(
      'until 2026-01-01T00:01:00',
    )
  })

  it('shows a step that was left out as skipped', () => {
    const story = JobStory.submitted({ hold: [], pay: [] })
    const steps = { ...story.job.steps, pay: { state: 'Skipped' as const, dispatch: 0 } }
    const left = { ...story.job, steps }
    expect(stepGraph(viewOf(left, [...story.steps.values()], { now: 0 }), room)).toMatch(/– pay +Skipped/)
  })

  it('shows the outcome of a step without which the job went on, and the reason', () => {
    const once = { retry: { tries: 1 }, onExhausted: 'continue' } as const
    const begun = JobStory.submitted({ pay: [] }, once).scheduled()
    const refused = begun.concluded('pay', { kind: 'permanent', message: 'declined' })
    expect(graph(refused)).toMatch(/^job-1 {2}shopping {2}Processed\n✗ pay {2}Refused {2}declined$/)
    const late = begun.expired('pay').scheduled()
    expect(graph(late)).toMatch(/✗ pay {2}TimedOut {2}given up after 1 fail/)
  })

  it('shows why a step failed, within its width', () => {
    const message = 'the card was refused by a bank with a very long name indeed'
    const failed = JobStory.submitted({ pay: [] }).scheduled().settled('pay', { kind: 'permanent', message })
    const shown = graph(failed)
    expect(shown).toMatch(/✗ pay {2}Error {2}the card was/)
    for (const line of shown.split('\n')) expect(line.length).toBeLessThan(60)
  })

  it('leaves out the least informative steps when there are too many rows', () => {
    const ids = Array.from({ length: 30 }, (_, index) => `s${index}`)
    const story = JobStory.submitted(Object.fromEntries(ids.map((id) => [id, []])))
    const shown = graph(story.scheduled().settled('s3', success), { ...room, width: 80, height: 12 })
    expect(shown.split('\n')).toHaveLength(10)
    expect(shown).not.toContain('s3 ')
    expect(shown).toMatch(/… and 22 more steps$/)
  })
})
