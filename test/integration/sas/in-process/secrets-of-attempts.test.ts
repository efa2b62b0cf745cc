import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { readJobDocuments } from '../../../../src/sas/client/job-detail.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { begunInJob } from '../../../../src/sas/model/planned/planned-steps.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'
import { going, together } from '../../../support/one-process.js'

const end = deferred<string>()
const bank = defineAgent('bank', { act: (_input: unknown) => end.promise })
const build = (version: number, secrets: readonly `input.${string}`[] = []) =>
  defineWorkflow<{ readonly card: string }>(
    'order',
    (job) => {
      const a = job.step('a', bank.act, { number: job.input.card }, { undo: 'none' })
      job.step('b', bank.act, 'x', { undo: 'none', after: [a] })
    },
    { version, ...(secrets.length > 0 && { secrets }) },
  )

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld({ retentionMinutes: 60 })
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
})

describe('an attempt in the job, after a migration that marks its input as a secret', () => {
  it('is not shown with the secret in the documents of the job', async () => {
    const { scheduler } = together(world, [bank])
    const job = await client.submit(build(1), { card: 'stolen-4711' }, { jobId: 'o' })
    await scheduler.onChanges(await world.changes(), going)
    expect(begunInJob(await world.job('o'))).toHaveLength(1)
    await client.migrate('o', build(2, ['input.card']), { by: 'ann', why: 'hide' })
    expect(JSON.stringify(await job.view({ hidesSecrets: true }))).not.toContain('stolen')
    const address = { pk: 'o', id: 'sas.job:o', jobId: 'o' }
    const shown = JSON.stringify(await readJobDocuments({ store: world.store, queries: null }, address))
    expect(shown).not.toContain('stolen')
  })

  it('is not shown with the secret in the history of the job', async () => {
    const { scheduler } = together(world, [bank])
    const job = await client.submit(build(1), { card: 'stolen-4711' }, { jobId: 'o' })
    await scheduler.onChanges(await world.changes(), going)
    expect(begunInJob(await world.job('o'))).toHaveLength(1)
    await client.migrate('o', build(2, ['input.card']), { by: 'ann', why: 'hide' })
    end.resolve('done')
    await world.clock.advance(10)
    for (let changes = await world.changes(); changes.length > 0; changes = await world.changes())
      await scheduler.onChanges(changes, going)
    const { moments } = await job.history({ hidesSecrets: true })
    const versions = await Promise.all(
      moments.map(({ moment }) => job.historyAt(moment ?? '', { hidesSecrets: true })),
    )
    const attempts = await job.attempts('a', { hidesSecrets: true })
    expect(JSON.stringify([moments, attempts])).not.toContain('stolen')
    const shown = JSON.stringify(versions)
    expect(shown).toContain('attempt')
    expect(shown).not.toContain('stolen')
  })
})
