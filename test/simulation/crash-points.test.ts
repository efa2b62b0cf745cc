import { describe, expect, it } from 'vitest'
import { faultKinds, faultText, placesIn, simulateFaults, type Place } from './crash-points.js'
import { scenarios } from './scenarios.js'

/** Writes of leases are the same in every scenario, so one of them is enough for those. */
function isWanted({ writePoint }: Place, scenario: string): boolean {
  return scenario === 'happy' || !writePoint.startsWith('L')
}

describe.each(scenarios.map(({ name }) => name))('a job that goes %s', (scenario) => {
  it.each(faultKinds)(
    'comes to its end whatever write suffers %s, and keeps every invariant',
    async (kind) => {
      const broken: string[] = []
      for (const place of await placesIn(scenario)) {
        if (!isWanted(place, scenario)) continue
        const fault = { ...place, kind }
        const { problems, faults } = await simulateFaults(scenario, [fault])
        if (faults.size === 0) broken.push(`${faultText(fault)} did not happen`)
        if (problems.length === 0) continue
        broken.push(`npm run simulate -- --scenario ${scenario} --fault ${faultText(fault)}`, ...problems)
      }
      expect(broken).toEqual([])
    },
    60_000,
  )
})
