import { describe, expect, it } from 'vitest'
import { brokenBy, simulateFaults } from './crash-points.js'
import { faultFrom } from '../../src/testing/fault-place.js'
import { sampleFaults } from './fault-pairs.js'
import { stories } from './stories.js'

const faultsOfStory = 3

describe.each(stories.map(({ name, promise }) => [name, promise] as const))(
  'a job of the story %s: %s (R65, I6, I9, I21)',
  (name) => {
    it('ends as expected without faults', async () => {
      expect((await simulateFaults(name, [])).problems).toEqual([])
    })

    it('ends and keeps every invariant under faults at writes and calls', async () => {
      const broken: string[] = []
      for (const fault of await sampleFaults(name, faultsOfStory, 1)) {
        broken.push(...(await brokenBy(name, [fault])))
      }
      expect(broken).toEqual([])
    })
  },
)

describe('an attempt whose agents crash after its effect (F-A20)', () => {
  it.each(['error-then-cancel', 'resubmit-then-cancel', 'release-then-cancel'])(
    'is undone although other agents repeat it and are refused: %s',
    async (name) => {
      // The second request to any service is the first request of the step `charge`.
      expect(await brokenBy(name, [faultFrom('crashAfter@X#2')])).toEqual([])
    },
  )
})
