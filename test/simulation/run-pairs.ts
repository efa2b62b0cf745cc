import { systemClock } from '../../src/platform/index.js'
import { brokenBy } from './crash-points.js'
import { pairsIn } from './fault-pairs.js'

const toldEvery = 1_000

/**
 * Simulates every ordered pair of faults in these scenarios. Continues after a failure, to report all of
 * them.
 */
export async function simulatePairs(names: readonly string[]): Promise<void> {
  const beganAtMs = systemClock.monotonic()
  let [pairs, broken] = [0, 0]
  const tell = (scenario: string): void => {
    const seconds = Math.round((systemClock.monotonic() - beganAtMs) / 1000)
    process.stdout.write(`after ${seconds} s, in ${scenario}: ${pairs} pairs, ${broken} broken\n`)
  }
  for (const name of names) {
    for await (const pair of pairsIn(name)) {
      pairs += 1
      const problems = await brokenBy(name, pair)
      if (problems.length > 0) {
        broken += 1
        process.exitCode = 1
        process.stdout.write(`${problems.join('\n  ')}\n`)
      }
      if (pairs % toldEvery === 0) tell(name)
    }
    tell(name)
  }
}
