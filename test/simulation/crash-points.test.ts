import { describe, expect, it } from 'vitest'
import { brokenBy, placesIn } from './crash-points.js'
import { faultKinds, type Place } from '../../src/testing/fault-place.js'
import { samplePairs } from './fault-pairs.js'
import { scenarios } from './scenarios.js'

const pairsOfScenario = 1

/**
 * How many kinds of fault strike each write: all six, a third of them, or one kind each third write. `npm run
 * simulate:full` strikes all.
 */
const everyKind = ['happy']
const thirdOfKinds = ['retry', 'compensate']

/** Its job has 100 steps, so only the writes of its customer and its operator are struck: each stage by a crash. */
const stagedOnly = 'restart-staged'

/** Checks whether the fault of this kind strikes the write at this place of its story. */
function isStruck(
  { scenario, writes }: { scenario: string; writes: number },
  index: number,
  kind: (typeof faultKinds)[number],
): boolean {
  if (scenario === stagedOnly && kind === 'crashBefore') return true
  const every = everyKind.includes(scenario) ? 1 : thirdOfKinds.includes(scenario) ? 3 : 3 * faultKinds.length
  // However few writes a story has, each kind of fault strikes one of them.
  return (index + faultKinds.indexOf(kind)) % Math.min(every, writes) === 0
}

/**
 * Checks whether a write is tested in a scenario. Writes of leases are the same in every scenario, so one
 * scenario is enough.
 */
function isWanted({ writePoint }: Place, scenario: string): boolean {
  if (scenario === stagedOnly) return writePoint === 'W0' || writePoint === 'W10'
  return scenario === 'happy' || !writePoint.startsWith('L')
}

describe.each(scenarios.map(({ name }) => name))(
  'a job of the scenario %s (R1, R3, R25, R28, R65, R108, I7, I8)',
  (scenario) => {
    // Each kind of fault strikes every second of the stories that are not struck often.
    const isOften = [...everyKind, ...thirdOfKinds, stagedOnly].includes(scenario)
    const at = scenarios.findIndex(({ name }) => name === scenario)
    const kinds = faultKinds.filter((_, index) => isOften || (index + at) % 2 === 0)

    it.each(kinds)('ends and keeps every invariant, whichever write suffers %s', async (kind) => {
      const broken: string[] = []
      const places = (await placesIn(scenario)).filter((place) => isWanted(place, scenario))
      const story = { scenario, writes: places.length }
      const struck = places.filter((_, index) => isStruck(story, index, kind))
      expect(struck).not.toEqual([])
      for (const place of struck) broken.push(...(await brokenBy(scenario, [{ ...place, kind }])))
      expect(broken).toEqual([])
    })

    it('ends and keeps every invariant under two faults', async () => {
      const broken: string[] = []
      for (const pair of await samplePairs(scenario, pairsOfScenario, 1)) {
        broken.push(...(await brokenBy(scenario, pair)))
      }
      expect(broken).toEqual([])
    })
  },
)
