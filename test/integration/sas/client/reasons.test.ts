import { expect, it } from 'vitest'
import { readAudit } from '../../../../src/operations/audit.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { concealerOf } from '../../../../src/sas/plan/hide-documents.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { aStep } from '../../../support/a-job.js'
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

const refusing = defineAgent('bank', {
  pay: ({ iban }: { readonly iban: string }, context: AgentContext) =>
    context.failPermanently(`${iban} is refused`),
})

/** A world with the failed job `j` of this workflow. */
async function failed(version: number, secrets: readonly string[]) {
  const world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  const client = new JobClient({ store, queries, clock, telemetry })
  const workflow = defineWorkflow<{ readonly iban: string }>(
    'paying',
    (job) => {
      job.step('pay', refusing.pay, { iban: job.input.iban }, { undo: 'none' })
    },
    { secrets, version },
  )
  await client.submit(workflow, { iban: 'OLD-ZQX-1' }, { jobId: 'j' })
  const [scheduler, agents] = [world.scheduler(), world.agents({ agents: [refusing] })]
  const run = async (): Promise<void> => {
    for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
      await scheduler.onChanges(page)
      await agents.onChanges(page, { signal: new AbortController().signal })
      await agents.stop(1_000)
    }
  }
  await run()
  const told = async (): Promise<string> =>
    JSON.stringify([
      (await readAudit(queries, { beforeMs: null, limit: 9 })).rows,
      telemetry.of('job.operated'),
    ])
  return { world, client, workflow, run, told }
}

const why = 'NEW-ZQX-2 in place of OLD-ZQX-1'

it('a secret that a new input of a step brings is not stored in the reason, and not emitted', async () => {
  const { client, told, world, run } = await failed(1, ['input.iban'])
  await client.resubmit('j', { step: 'pay', input: { iban: 'NEW-ZQX-2' }, by: 'ann', why })
  expect(await told()).toContain('•••• secret in place of •••• secret')
  expect(await told()).not.toContain('ZQX')
  await run()
  expect(JSON.stringify((await world.job('j')).audit)).not.toContain('ZQX')
})

it('a secret that a restart brings is in neither job', async () => {
  const { client, told, world } = await failed(1, ['input.iban'])
  const restart = { from: 'pay', by: 'ann', why }
  const stored = await client.restart('j', { ...restart, input: { iban: 'NEW-ZQX-2' } })
  expect(stored.jobId).toBe('j.r1')
  const { audit, restartOf } = await world.job('j.r1', 'j')
  expect(JSON.stringify([audit, restartOf, (await world.job('j')).audit])).not.toContain('ZQX')
  expect(restartOf?.why).toBe('•••• secret in place of •••• secret')
  expect(await told()).not.toContain('ZQX')
  const other = await failed(1, ['input.iban'])
  const named = { ...restart, stepInput: { iban: 'NEW-ZQX-2' }, as: 'NEW-ZQX-2' }
  await expect(other.client.restart('j', named)).rejects.toThrow('as contains a secret')
  await other.client.restart('j', { ...named, as: 'k' })
  expect((await other.world.job('k', 'j')).restartOf?.why).not.toContain('ZQX')
})

it('a secret in the reason of a resend is neither stored nor emitted', async () => {
  const world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  const client = new JobClient({ store, queries, clock, telemetry })
  const iban = 'DE02120300000000202051'
  await client.submit(paying, { iban }, { jobId: 'j', replyTo: 'https://shop.example/replies' })
  const giveUp = async (): Promise<void> => {
    const [notice] = await world.truth.listNotices('j', 'j')
    if (notice === undefined) throw new Error('a job with replyTo has a notice')
    const attention = { kind: 'notify' as const, since: '', by: 'n', message: 'answered 404' }
    await world.put('j', [replacing(notice, { ...notice, completeByMs: null, attention })])
  }
  await giveUp()
  await client.resend('j', { by: 'ann', why: `${iban} is right` })
  const [sent] = await world.truth.listNotices('j', 'j')
  expect(sent?.resends).toMatchObject([{ by: 'ann', why: '•••• secret is right' }])
  expect(telemetry.of('job.operated')).toMatchObject([{ command: 'resend', why: '•••• secret is right' }])
  // The secrets of a job that cannot be read are unknown.
  await giveUp()
  const job = await world.job('j')
  await world.put('j', [replacing(job, { ...job, schema: 'edited' })])
  await client.resend('j', { by: 'ann', why: `${iban} is right` })
  const [again] = await world.truth.listNotices('j', 'j')
  expect(again?.resends.at(-1)?.why).toBe('•••• secret')
})

it('a value that a migration makes secret is not stored in its reason', async () => {
  const { client, world, told } = await failed(1, [])
  const { workflow } = await failed(2, ['input.iban'])
  await client.migrate('j', workflow, { by: 'ann', why: 'hide OLD-ZQX-1' })
  expect((await world.job('j')).audit.at(-1)?.why).toBe('hide •••• secret')
  expect(await told()).not.toContain('ZQX')
})

it('a message of a handler is stored in its job without the secrets of other steps, and of the round before', async () => {
  const world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  const client = new JobClient({ store, queries, clock, telemetry })
  const vault = defineAgent('vault', {
    open: (_input: object) => ({ token: 'ZQX-token', id: 1 }),
    use: (_input: object, context: AgentContext) => context.failPermanently('ZQX-token is closed'),
  })
  const using = defineWorkflow(
    'using',
    (job) => {
      const opened = job.step('open', vault.open, {}, { undo: 'none' })
      job.step('use', vault.use, { id: opened.output.id }, { undo: 'none' })
    },
    { secrets: ['steps.open.output.token'] },
  )
  await client.submit(using, {}, { jobId: 'j' })
  const agents = world.agents({ agents: [vault] })
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    // Another scheduler takes the job each time, and knows only the steps that it needs.
    await world.scheduler().onChanges(page)
    await agents.onChanges(page, { signal: new AbortController().signal })
    await agents.stop(1_000)
  }
  const [job] = await client.list()
  expect(job?.attention?.message).toBe('step use: •••• secret is closed')
  const step = aStep({
    secrets: [['output', 'token']],
    round: { number: 2, first: 1, until: null, previous: { token: 'ZQX-round' } },
  })
  const hide = concealerOf(step, { input: {}, previous: { token: 'ZQX-loaded' } })
  expect(hide('ZQX-round, ZQX-loaded')).toBe('•••• secret, •••• secret')
})
