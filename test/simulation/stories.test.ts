import { describe, expect, it } from 'vitest'
import { brokenBy, simulateFaults } from './crash-points.js'
import { faultFrom } from '../../src/testing/fault-place.js'
import { sampleFaults } from './fault-pairs.js'
import { stories } from './stories.js'

const faultsOfStory = 3

describe.each(stories.map(({ name, promise }) => [name, promise] as const))(
  'R65, I6, I9, I21: a job that goes %s: %s',
  (name) => {
    it('comes to its expected end without faults', async () => {
      expect((await simulateFaults(name, [])).problems).toEqual([])
    })

    it('comes to an end under faults at writes and calls, with every invariant kept', async () => {
      const broken: string[] = []
      for (const fault of await sampleFaults(name, faultsOfStory, 1)) {
        broken.push(...(await brokenBy(name, [fault])))
      }
      expect(broken).toEqual([])
    })
  },
)

describe('F-A20: an attempt whose agents died after its effect', () => {
  it.each(['error-then-cancel', 'resubmit-then-cancel', 'release-then-cancel'])(
    'is undone although the repetition was refused, and those who asked were other agents: %s',
    async (name) => {
      // The second request to any service is the first request of the step `charge`.
      expect(await brokenBy(name, [faultFrom('crashAfter@X#2')])).toEqual([])
    },
  )
})
