import { describe, expect, it } from 'vitest'
import { brokenBy, placesIn } from './crash-points.js'
import { faultKinds, type Place } from '../../src/simulation/fault-place.js'
import { samplePairs } from './fault-pairs.js'
import { scenarios } from './scenarios.js'

const pairsOfScenario = 6

/** Writes of leases are the same in every scenario, so one of them is enough for those. */
function isWanted({ writePoint }: Place, scenario: string): boolean {
  return scenario === 'happy' || !writePoint.startsWith('L')
}

describe.each(scenarios.map(({ name }) => name))(
  'R1, R3, R25, R28, R65, R108, I7, I8: a job that goes %s',
  (scenario) => {
    it.each(faultKinds)(
      'comes to its end whatever write suffers %s, and keeps every invariant',
      async (kind) => {
        const broken: string[] = []
        for (const place of await placesIn(scenario)) {
          if (isWanted(place, scenario)) broken.push(...(await brokenBy(scenario, [{ ...place, kind }])))
        }
        expect(broken).toEqual([])
      },
      60_000,
    )

    it('comes to its end under two faults, and keeps every invariant', async () => {
      const broken: string[] = []
      for (const pair of await samplePairs(scenario, pairsOfScenario, 1)) {
        broken.push(...(await brokenBy(scenario, pair)))
      }
      expect(broken).toEqual([])
    }, 60_000)
  },
)
