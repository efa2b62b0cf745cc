import { beforeEach, describe, expect, it } from 'vitest'
import { asStored, aStep } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'
import { readStep, updateDocument, type DocumentDecision } from '../../../src/sas/update-document.js'
import type { StepDocument } from '../../../src/sas/documents.js'

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

describe('a step updated', () => {
  it('is read, decided upon and written', async () => {
    const update = await updateDocument(world.store, { address: address, known: null, read: readStep }, raise)
    expect(update).toMatchObject({ kind: 'written', result: 'raised', document: { fence: 1 } })
    expect(await world.step()).toMatchObject({ fence: 1 })
  })

  it('is not read first when it is known', async () => {
    await updateDocument(world.store, { address: address, known: await world.step(), read: readStep }, raise)
    expect(world.store.count('read')).toBe(0)
  })

  it('is read again when what was known is old', async () => {
    const old = asStored(await world.step(), '"gone"')
    expect(
      await updateDocument(world.store, { address: address, known: old, read: readStep }, raise),
    ).toMatchObject({ kind: 'written' })
    expect(await world.step()).toMatchObject({ fence: 1 })
  })

  it('is left alone when the decision says so', async () => {
    const update = await updateDocument(
      world.store,
      { address: address, known: null, read: readStep },
      () => ({ write: null, result: 'fine' }),
    )
    expect(update).toEqual({ kind: 'unchanged', result: 'fine' })
    expect(world.store.writes).toEqual([])
  })

  it('is missing when it is gone, or is no step any more', async () => {
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

  it('is given up when it stays contended', async () => {
    world.store.failWrites(
      ...Array.from({ length: 6 }, () => ({ kind: 'unknownOutcome', truth: 'lost' }) as const),
    )
    await expect(
      updateDocument(world.store, { address: address, known: null, read: readStep }, raise),
    ).rejects.toThrow('document sas.step:job-1:pay: still contended after 6 tries')
  })
})
