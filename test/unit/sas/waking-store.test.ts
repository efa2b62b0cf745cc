import { describe, expect, it } from 'vitest'
import { wakingReaders } from '../../../src/sas/waking-store.js'
import { submit } from '../../../src/sas/submit.js'
import { aSubmission, aWorkflow } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const writes = submit(aSubmission(aWorkflow().plan))

function waking() {
  const world = new StateWorld()
  const woken: (string | null)[] = []
  const store = wakingReaders(world.store, { notify: (rangeId) => void woken.push(rangeId) })
  return { world, woken, store }
}

describe('a store that wakes readers', () => {
  it('wakes those of the range that was written', async () => {
    const { store, woken } = waking()
    expect(await store.apply('job-1', writes)).toMatchObject({ kind: 'applied' })
    expect(woken).toEqual(['0'])
  })

  it('wakes all when nobody knows whether something was written', async () => {
    const { store, woken, world } = waking()
    world.store.failWrites({ kind: 'unknownOutcome', truth: 'lost' })
    await store.apply('job-1', writes)
    expect(woken).toEqual([null])
  })

  it('wakes nobody when nothing was written', async () => {
    const { store, woken } = waking()
    await store.apply('job-1', writes)
    woken.length = 0
    expect(await store.apply('job-1', writes)).toMatchObject({ kind: 'conflict' })
    expect(woken).toEqual([])
  })

  it('is otherwise the store', async () => {
    const { store, woken, world } = waking()
    await world.put('job-1', writes)
    expect(await store.read({ pk: 'job-1', id: 'sas.job:job-1' })).toMatchObject({ jobId: 'job-1' })
    expect(await store.listJobs({})).toHaveLength(1)
    expect(await store.findJob('job-1')).toMatchObject({ jobId: 'job-1' })
    expect(await store.listSteps('job-1', 'job-1')).toHaveLength(1)
    expect(await store.listOverdue(0, 10)).toEqual([])
    expect(woken).toEqual([])
  })
})
