import { beforeEach, describe, expect, it } from 'vitest'
import { asStored, aStep } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'
import { updateStep, type StepDecision } from '../../../src/sas/update-step.js'
import type { StepDocument } from '../../../src/sas/documents.js'

const address = { pk: 'job-1', id: 'sas.step:job-1:pay' }
const raise = (step: StepDocument): StepDecision<string> => ({
  write: { ...step, fence: step.fence + 1 },
  result: 'raised',
})

let world: StateWorld
beforeEach(async () => {
  world = new StateWorld()
  await world.submitted()
})

describe('a step updated', () => {
  it('is read, decided upon and written', async () => {
    const update = await updateStep(world.store, address, null, raise)
    expect(update).toMatchObject({ kind: 'written', result: 'raised', step: { fence: 1 } })
    expect(await world.step()).toMatchObject({ fence: 1 })
  })

  it('is not read first when it is known', async () => {
    await updateStep(world.store, address, await world.step(), raise)
    expect(world.store.count('read')).toBe(0)
  })

  it('is read again when what was known is old', async () => {
    const old = asStored(await world.step(), '"gone"')
    expect(await updateStep(world.store, address, old, raise)).toMatchObject({ kind: 'written' })
    expect(await world.step()).toMatchObject({ fence: 1 })
  })

  it('is left alone when the decision says so', async () => {
    const update = await updateStep(world.store, address, null, () => ({ write: null, result: 'fine' }))
    expect(update).toEqual({ kind: 'unchanged', result: 'fine' })
    expect(world.store.writes).toEqual([])
  })

  it('is missing when it is gone, or is no step any more', async () => {
    const gone = { ...address, id: 'sas.step:job-1:gone' }
    expect(await updateStep(world.store, gone, null, raise)).toEqual({ kind: 'missing' })
    const job = { ...address, id: 'sas.job:job-1' }
    expect(await updateStep(world.store, job, null, raise)).toEqual({ kind: 'missing' })
    const known = asStored(aStep({ id: gone.id }))
    expect(await updateStep(world.store, gone, known, raise)).toEqual({ kind: 'missing' })
  })

  it('is given up when it stays contended', async () => {
    world.store.failWrites(
      ...Array.from({ length: 6 }, () => ({ kind: 'unknownOutcome', truth: 'lost' }) as const),
    )
    await expect(updateStep(world.store, address, null, raise)).rejects.toThrow(
      'document sas.step:job-1:pay: still contended after 6 tries',
    )
  })
})
