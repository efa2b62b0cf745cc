import { beforeEach, describe, expect, it } from 'vitest'
import { asStored, aStep } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { readStep, updateDocument, type DocumentDecision } from '../../../../src/sas/store/update-document.js'
import type { StepDocument } from '../../../../src/sas/model/documents.js'

const address = { pk: 'job-1', id: 'sas.step:job-1:pay' }
const raise = (step: StepDocument): DocumentDecision<StepDocument, string> => ({
  write: { ...step, fence: step.fence + 1 },
  result: 'raised',
})

let world: StateWorld
beforeEach(async () => {
  world = new StateWorld()
  await world.submitted()
})

describe('an update of a step', () => {
  it('reads the step, decides and writes it', async () => {
    const update = await updateDocument(world.store, { address: address, known: null, read: readStep }, raise)
    expect(update).toMatchObject({ kind: 'written', result: 'raised', document: { fence: 1 } })
    expect(await world.step()).toMatchObject({ fence: 1 })
  })

  it('does not read the step first when it is known', async () => {
    await updateDocument(world.store, { address: address, known: await world.step(), read: readStep }, raise)
    expect(world.faults.count('read')).toBe(0)
  })

  it('reads the step again when the known version is stale', async () => {
    const old = asStored(await world.step(), '"gone"')
    expect(
      await updateDocument(world.store, { address: address, known: old, read: readStep }, raise),
    ).toMatchObject({ kind: 'written' })
    expect(await world.step()).toMatchObject({ fence: 1 })
  })

  it('writes nothing when the decision leaves the step alone', async () => {
    const update = await updateDocument(
      world.store,
      { address: address, known: null, read: readStep },
      () => ({ write: null, result: 'fine' }),
    )
    expect(update).toEqual({ kind: 'unchanged', result: 'fine' })
    expect(world.faults.writes).toEqual([])
  })

  it('reports the step as missing when it is gone or is no longer a step', async () => {
    const gone = { ...address, id: 'sas.step:job-1:gone' }
    expect(await updateDocument(world.store, { address: gone, known: null, read: readStep }, raise)).toEqual({
      kind: 'missing',
    })
    const job = { ...address, id: 'sas.job:job-1' }
    expect(await updateDocument(world.store, { address: job, known: null, read: readStep }, raise)).toEqual({
      kind: 'missing',
    })
    const known = asStored(aStep({ id: gone.id }))
    expect(await updateDocument(world.store, { address: gone, known: known, read: readStep }, raise)).toEqual(
      { kind: 'missing' },
    )
  })

  it('gives up when two writes in a row have no clear answer (F-X4)', async () => {
    world.faults.failWrites(
      ...Array.from({ length: 6 }, () => ({ kind: 'unknownOutcome', truth: 'lost' }) as const),
    )
    const updating = updateDocument(world.store, { address, known: null, read: readStep }, raise)
    await expect(updating).rejects.toThrow('the outcome of 2 writes is unknown')
    expect([world.faults.count('apply'), world.faults.count('read')]).toEqual([2, 3])
  })

  it('finds the step written when the second of two unclear writes was applied (F-X4)', async () => {
    const lost = { kind: 'unknownOutcome', truth: 'lost' } as const
    world.faults.failWrites(lost, { ...lost, truth: 'applied' })
    const once = (step: StepDocument) => (step.fence === 0 ? raise(step) : { write: null, result: 'is' })
    const update = await updateDocument(world.store, { address, known: null, read: readStep }, once)
    expect(update).toEqual({ kind: 'unchanged', result: 'is' })
  })

  it('gives up when the step stays contended', async () => {
    const rival = { kind: 'rival', write: async () => world.put('job-1', [await raised()]) } as const
    const raised = async () => {
      const step = await world.step()
      return replacing(step, { ...step, fence: step.fence + 10 })
    }
    world.faults.failWrites(...Array.from({ length: 6 }, () => rival))
    await expect(
      updateDocument(world.store, { address: address, known: null, read: readStep }, raise),
    ).rejects.toThrow('document sas.step:job-1:pay: another writer changed it first in each of 6 tries')
  })
})
