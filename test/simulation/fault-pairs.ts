import { seededRandom } from '../../src/platform/index.js'
import type { PlannedFault } from '../../src/testing/faults.js'
import { placesIn, simulateFaults } from './crash-points.js'
import { faultKinds, type Place } from '../../src/testing/fault-place.js'

/**
 * Two faults in one story. The second strikes a write that follows the first, and that may happen only
 * because of it.
 */
export type Pair = readonly [PlannedFault, PlannedFault]

/** Yields every ordered pair of faults at writes about the job. */
export async function* pairsIn(scenario: string): AsyncGenerator<Pair> {
  for (const first of await faultsIn(scenario)) {
    for (const second of await faultsAfter(scenario, first)) yield [first, second]
  }
}

/** Returns some of those pairs, chosen by a seed. */
export async function samplePairs(scenario: string, count: number, seed: number): Promise<readonly Pair[]> {
  const random = seededRandom(seed)
  const oneOf = <T>(items: readonly T[]): readonly T[] => items.slice(...sliceOf(items.length, random.next()))
  const firsts = await faultsIn(scenario)
  const pairs: Pair[] = []
  while (pairs.length < count) {
    for (const first of oneOf(firsts)) {
      for (const second of oneOf(await faultsAfter(scenario, first))) pairs.push([first, second])
    }
  }
  return pairs
}

function sliceOf(length: number, chance: number): [from: number, to: number] {
  const from = Math.floor(chance * length)
  return [from, from + 1]
}

async function faultsIn(scenario: string): Promise<readonly PlannedFault[]> {
  return ofAllKinds(await placesIn(scenario))
}

/** Returns the faults that may follow this one. */
async function faultsAfter(scenario: string, first: PlannedFault): Promise<readonly PlannedFault[]> {
  const seen: Place[] = []
  await simulateFaults(scenario, [first], seen)
  const struckAt = seen.findIndex(
    ({ writePoint, occurrence }) => writePoint === first.writePoint && occurrence === first.occurrence,
  )
  return ofAllKinds(seen.slice(struckAt + 1))
}

/**
 * Combines places with all kinds of faults. Leaves out writes of leases: they never end, and the processor's
 * own scenes test them.
 */
function ofAllKinds(places: readonly Place[]): readonly PlannedFault[] {
  return places
    .filter(({ writePoint }) => writePoint === 'X' || writePoint.startsWith('W'))
    .flatMap((place) => faultKinds.map((kind) => ({ ...place, kind })))
}

/** Returns some of the faults of a scenario, chosen by a seed. */
export async function sampleFaults(
  scenario: string,
  count: number,
  seed: number,
): Promise<readonly PlannedFault[]> {
  const random = seededRandom(seed)
  const faults = await faultsIn(scenario)
  return Array.from({ length: count }, () => faults.slice(...sliceOf(faults.length, random.next()))).flat()
}
