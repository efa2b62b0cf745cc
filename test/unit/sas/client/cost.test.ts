import { describe, expect, it } from 'vitest'
import { idleCharge, idleCost, jobCost, type CostQuestion } from '../../../../src/sas/internal.js'

const usual: CostQuestion = {
  steps: 3,
  claimedSteps: 0,
  documentKilobytes: 1,
  indexing: 'lean',
  isTogether: true,
  partitions: 1,
  instances: 1,
  hasNotifier: false,
}

/** The units of the plan of one step in a job that is created. */
const onePlanned = 0.3 * 0.0909 * 5.5 * 1.15
/** The units of the first attempt of one step in a job that is created. */
const attempt = 0.2 * 0.0909 * 5.5 * 1.15
/** The units of one step that is done, with its plan and its attempt, in a job that is created. */
const done = (0.3 + 0.2 + 0.1) * 0.0909 * 5.5 * 1.15
/** The units of the creation of a document. */
const create = 5.5 * 1.15

describe('the cost of a job (R129)', () => {
  it('is that of one create and three replaces for three steps, in four requests (R12)', () => {
    expect(jobCost(usual).writeRequests).toBe(4)
    // The submission plans three steps, and the next writes, which are replaces, two steps and one. They also have one, two and three
    // steps that are done.
    expect(jobCost(usual).writeCharge).toBeCloseTo(
      1.15 * (5.5 + 3 * 11) + 9 * onePlanned + 5 * attempt + 2 * 6 * done,
    )
    expect(jobCost(usual).feedCharge).toBeCloseTo(4 + 6 * 0.3 + 6 * 0.6)
    expect(jobCost({ ...usual, isTogether: false }).feedCharge).toBeCloseTo(3 * (11 + 6 * 0.3))
  })

  it.each<[Partial<CostQuestion>, number, number]>([
    [{ isTogether: false }, 8, 113.85 + 9 * onePlanned],
    [{ isClientApart: true }, 4, 63.25 + 12.65 + 4 * onePlanned + 4 * attempt - 2 * create + 2 * 3 * done],
    [{ isItem: true }, 4, 63.25 + 3 * 12.65 + 4 * onePlanned],
    [{ partitions: 2 }, 5, 63.25 + 12.65 + 9 * onePlanned + 6 * attempt - 3 * create + 2 * 6 * done],
    [{ instances: 2 }, 5, 63.25 + 12.65 + 9 * onePlanned + 6 * attempt - 3 * create + 2 * 6 * done],
    [{ claimedSteps: 2 }, 6, 63.25 + 2 * 2 * 12.65 + 9 * onePlanned + attempt - create + 2 * done],
    [{ documentedSteps: 2 }, 4, 63.25 + 2 * 12.65 + 9 * onePlanned + attempt - create + 2 * done],
    [{ storedSteps: 3 }, 4, 63.25 + (3 + 2) * 12.65],
    [{ steps: 1 }, 2, 1.15 * (5.5 + 11) + onePlanned + attempt + 2 * done],
    // The successes of the first two steps get documents, because then more than four steps are left.
    [{ steps: 7 }, 8, 1.15 * (3 * 5.5 + 7 * 11) + 49 * onePlanned + 13 * attempt + 2 * 15 * done],
    [{ indexing: 'full' }, 4, 1.8 * (38.5 + (9 * onePlanned + 5 * attempt + 12 * done) / 1.15)],
    [{ documentKilobytes: 0.5 }, 4, 63.25 + 9 * onePlanned + 5 * attempt - 3 * create + 12 * done],
    [{ documentKilobytes: 100 }, 4, 44.275 * (1 + 99 * 0.0909) + 9 * onePlanned + 5 * attempt + 12 * done],
  ])('with %j is %d requests', (differing, writeRequests, writeCharge) => {
    const { writeRequests: requests, writeCharge: charge } = jobCost({ ...usual, ...differing })
    expect(requests).toBe(writeRequests)
    expect(charge).toBeCloseTo(writeCharge)
  })
})

describe('the cost of idle deployment units', () => {
  it('is below two request units per second for one partition and one instance', () => {
    expect(idleCharge(idleCost(usual))).toBeLessThan(2)
  })

  it('has the polls of all roles together as one poll if they share a process', () => {
    expect(idleCost(usual).polls).toBeCloseTo(1 / 5)
    expect(idleCost({ ...usual, isTogether: false }).polls).toBeCloseTo(1 / 5 + 1 / 5 + 1 / 10)
  })

  it('stays below 2.5 request units per second with a notifier, which adds mostly renewals', () => {
    const [without, all] = [idleCost(usual), idleCost({ ...usual, hasNotifier: true })]
    expect(idleCharge(all)).toBeLessThan(2.5)
    expect(all.renewals).toBeCloseTo((4 / 3) * without.renewals)
    expect(all.renewals - without.renewals).toBeGreaterThan(0.7 * (idleCharge(all) - idleCharge(without)))
    expect(jobCost({ ...usual, isTogether: false, hasNotifier: true }).feedCharge).toBeCloseTo(
      4 * (11 + 6 * 0.3),
    )
  })

  it('grows with partitions, and with instances only by their checks of leases and their reads of pauses', () => {
    const one = idleCost(usual)
    const partitions = idleCost({ ...usual, partitions: 3 })
    expect(partitions.polls).toBeCloseTo(3 * one.polls)
    expect(partitions.renewals).toBeCloseTo(3 * one.renewals)
    expect(partitions.sweeps).toBeCloseTo(3 * one.sweeps)
    const instances = idleCost({ ...usual, instances: 2 })
    const others = { looksAtLeases: 0, pauses: 0 }
    expect({ ...instances, ...others }).toEqual({ ...one, ...others })
    expect(instances.pauses).toBeCloseTo(2 * one.pauses)
    // Both instances look in every interval, and a single instance only in every fourth.
    expect(instances.looksAtLeases).toBeCloseTo(8 * one.looksAtLeases)
  })
})
