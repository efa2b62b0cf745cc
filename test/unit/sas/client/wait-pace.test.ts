import { describe, expect, it } from 'vitest'
import { WaitPace } from '../../../../src/sas/client/wait-pace.js'

const job = { workflow: 'w', atMs: 5_000 }

/** The milliseconds after its submission at which a job is looked at, up to `untilMs`. */
function looks(pace: WaitPace, untilMs: number): number[] {
  const at: number[] = []
  for (let now = 0; now <= untilMs; at.push(now)) now += pace.restMs(job, job.atMs + now)
  return at.filter((now) => now <= untilMs)
}

function paceOf(tookMs: number, noticed: 'heard' | 'read' = 'read'): WaitPace {
  const pace = new WaitPace()
  pace.note(job.workflow, tookMs, noticed)
  return pace
}

describe('how often a job is looked at', () => {
  it('is soon at first, then less and less, while nothing is known of its workflow', () => {
    expect(looks(new WaitPace(), 3_000)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_280])
  })

  it('begins when such jobs have usually ended, and goes on in small steps from there', () => {
    expect(looks(paceOf(750), 1_300)).toEqual([600, 700, 800, 1_000])
    expect(looks(paceOf(30), 60)).toEqual([24, 29, 34, 44])
  })

  it('is never less than once a second: jobs differ', () => {
    expect(looks(paceOf(3_600_000), 3_500)).toEqual([1_000, 2_000, 3_000])
  })

  it('waits for longer where the end of such jobs is usually told in this process', () => {
    expect(looks(paceOf(300, 'heard'), 900)).toEqual([600, 700, 800])
  })

  it('follows what is usual, sooner when jobs are quicker than before', () => {
    const pace = paceOf(100)
    pace.note('w', 200, 'read')
    expect(pace.restMs(job, job.atMs)).toBeCloseTo(0.8 * 120)
    pace.note('w', 20, 'read')
    expect(pace.restMs(job, job.atMs)).toBeCloseTo(0.8 * 70)
  })

  it('forgets the workflow not heard of for longest when it knows a thousand', () => {
    const pace = paceOf(800)
    for (let count = 0; count < 1_000; count += 1) {
      pace.note(`other-${count}`, 800, 'read')
    }
    expect(pace.restMs(job, job.atMs)).toBe(5)
    expect(pace.restMs({ workflow: 'other-0', atMs: 0 }, 0)).toBe(640)
  })

  it('takes a clock that is behind the submitter’s for no longer than a second', () => {
    expect(paceOf(800).restMs(job, job.atMs - 90_000)).toBe(1_000)
  })
})
