import { describe, expect, it } from 'vitest'
import { WaitPace } from '../../../../../src/sas/client/waits/wait-pace.js'

const job = { workflow: 'w', atMs: 5_000 }

/** Returns the milliseconds after its submission at which a job is read, up to `untilMs`. */
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

describe('the wait for a job', () => {
  it('reads often at first, and then less often while nothing is known about the workflow', () => {
    expect(looks(new WaitPace(), 3_000)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_280])
  })

  it('starts to read shortly before such jobs usually end, and continues in small steps', () => {
    expect(looks(paceOf(750), 1_300)).toEqual([600, 700, 800, 1_000])
    expect(looks(paceOf(30), 60)).toEqual([24, 29, 34, 44])
  })

  it('reads at least once a second, because jobs differ', () => {
    expect(looks(paceOf(3_600_000), 3_500)).toEqual([1_000, 2_000, 3_000])
  })

  it('starts to read later when the end of such jobs is usually heard in this process', () => {
    expect(looks(paceOf(300, 'heard'), 900)).toEqual([600, 700, 800])
  })

  it('follows the usual duration, and adapts faster when jobs become quicker', () => {
    const pace = paceOf(100)
    pace.note('w', 200, 'read')
    expect(pace.restMs(job, job.atMs)).toBeCloseTo(0.8 * 120)
    pace.note('w', 20, 'read')
    expect(pace.restMs(job, job.atMs)).toBeCloseTo(0.8 * 70)
  })

  it('forgets the least recently noted workflow when it knows a thousand', () => {
    const pace = paceOf(800)
    for (let count = 0; count < 1_000; count += 1) {
      pace.note(`other-${count}`, 800, 'read')
    }
    expect(pace.restMs(job, job.atMs)).toBe(5)
    expect(pace.restMs({ workflow: 'other-0', atMs: 0 }, 0)).toBe(640)
  })

  it('reads less often when a client waits for more than 200 jobs, but at least every 30 s', () => {
    const pace = paceOf(100)
    const pauseOf = (waits: number): number => pace.restMs(job, job.atMs + 60_000, waits)
    expect([1, 200, 400, 401, 1_200, 100_000].map(pauseOf)).toEqual([
      1_000, 1_000, 1_000, 1_005, 5_000, 30_000,
    ])
    expect(pace.restMs(job, job.atMs + 90, 210)).toBe(50)
  })

  it('reads within a second when the clock is behind that of the submitter', () => {
    expect(paceOf(800).restMs(job, job.atMs - 90_000)).toBe(1_000)
  })
})
