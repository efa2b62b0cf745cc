import { expect, it } from 'vitest'
import { readAudit } from '../../../../src/operations/audit.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { StateWorld } from '../../../support/state-world.js'

const bank = defineAgent('bank', { pay: (input: { readonly iban: string }) => input.iban.length })
const paying = defineWorkflow<{ readonly iban: string }>(
  'paying',
  (job) => {
    job.step('pay', bank.pay, job.input, { undo: 'none' })
  },
  { secrets: ['input.iban'] },
)

it('a secret in the reason of an operator is not stored, so no list of decisions shows it', async () => {
  const world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  const client = new JobClient({ store, queries, clock, telemetry })
  const iban = 'DE02120300000000202051'
  await client.submit(paying, { iban }, { jobId: 'j' })
  await client.pause('j', `is ${iban} right?`, { by: 'ann' })
  await client.resume('j', { by: 'ann', why: `${iban} is right` })
  await client.cancel('j', `${iban} was wrong`)
  const { audit, paused } = await world.job('j')
  expect(audit.map(({ command }) => command)).toEqual(['pause', 'resume', 'cancel'])
  const stored = JSON.stringify([
    audit,
    paused,
    (await readAudit(queries, { beforeMs: null, limit: 9 })).rows,
  ])
  expect(stored).not.toContain(iban)
  expect(stored).toContain('was wrong')
})
