import { expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { readJobShape, shapeOfWorkflow } from '../../../../src/sas/client/cost/job-shape.js'
import { jobCost } from '../../../../src/sas/client/cost/cost.js'
import { jobDocumentId } from '../../../../src/sas/model/document-ids.js'
import { aWorkflow } from '../../../support/a-job.js'
import { deployed } from '../../../support/job-costs.js'
import { StateWorld } from '../../../support/state-world.js'

it.each([3, 40])(
  'an ended job of %i steps has the price that "stepward check" gives for its workflow',
  async (count) => {
    const world = new StateWorld()
    const client = new JobClient(world)
    const ids = Array.from({ length: count }, (_, at) => `step-${at}`)
    const line = aWorkflow(Object.fromEntries(ids.map((id, at) => [id, ids.slice(at - 1, at)])))
    await client.submit(line, {}, { jobId: 'job-1' })
    await world.run()
    const shape = await readJobShape(world.truth, { pk: 'job-1', id: jobDocumentId('job-1') })
    if (shape === null) throw new Error('there is no job')
    const [foreseen, found] = [shapeOfWorkflow(line), shape].map(
      (each) => jobCost({ ...deployed, ...each }).writeCharge,
    )
    expect(found).toBeCloseTo(foreseen ?? 0, 0)
  },
)
