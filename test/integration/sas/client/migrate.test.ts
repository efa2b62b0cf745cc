import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import type { MigrateOptions } from '../../../../src/sas/client/repair/migrate-options.js'
import { CommandInvalid, CommandRefused, JobNotFound } from '../../../../src/sas/model/errors.js'
import { schedule } from '../../../../src/sas/decisions/schedule.js'
import type { StepDocument } from '../../../../src/sas/model/documents.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { defineWorkflow, type Workflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import type { StateStore } from '../../../../src/sas/store/state-store.js'
import { StateWorld } from '../../../support/state-world.js'

interface Order {
  readonly amount: number
}

let world: StateWorld
let client: JobClient
let calls: unknown[]

beforeEach(() => {
  world = new StateWorld()
  const { store, queries, clock, telemetry } = world
  client = new JobClient({ store, queries, clock, telemetry })
  calls = []
})

const bank = defineAgent('bank', {
  act: (input: unknown, context: AgentContext) => {
    calls.push(input)
    if (input === 'fail') context.failPermanently('impossible')
    return input
  },
})

const none = { undo: 'none' } as const
type Build = (job: WorkflowBuilder<Order>) => void
const order = (build: Build, version = 2): Workflow<Order> =>
  defineWorkflow<Order>('order', build, { version })

/** A step, an event, and a step after both, which is left out by mistake. */
const wrong = order((job) => {
  const reserved = job.step('reserve', bank.act, 'reserve', none)
  const approved = job.waitFor<number>('approve', { after: [reserved] })
  const when = condition.equal(approved.output, 3)
  job.step('ship', bank.act, 'shipp', { ...none, when })
}, 1)
const right = order((job) => {
  const reserved = job.step('reserve', bank.act, 'reserve again', none)
  const approved = job.waitFor<number>('approve', { after: [reserved] })
  job.step('ship', bank.act, 'ship', { ...none, after: [approved], completeWithin: '2h' })
})

async function run(): Promise<void> {
  const scheduler = world.scheduler()
  const agents = world.agents({ agents: [bank] })
  const going = { signal: new AbortController().signal }
  for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
    await scheduler.onChanges(page)
    await agents.onChanges(page, going)
    await agents.stop(1_000)
  }
}

async function waiting(workflow = wrong): Promise<void> {
  await client.submit(workflow, { amount: 5 }, { jobId: 'o' })
  await run()
}

const terms = { by: 'ann', why: 'ship was left out' } as const
const migrate = (workflow = right, options: Partial<MigrateOptions> = {}) =>
  client.migrate('o', workflow, { ...terms, ...options })
const refusal = (workflow: Workflow<Order>) => migrate(workflow).catch((error: unknown) => String(error))

describe('a migration', () => {
  it('gives steps that have not begun their new plan in one write, and keeps the others (I39)', async () => {
    await waiting()
    const before = world.faults.writes.length
    const report = await migrate()
    expect(report).toMatchObject({ jobId: 'o', changed: ['ship'], kept: ['reserve'], isDryRun: false })
    expect(
      world.faults.writes.slice(before).map((writes) => writes.map(({ document }) => document.id)),
    ).toEqual([['sas.job:o', 'sas.step:o:ship']])
    await client.raiseEvent('o', 'approve', 1)
    await run()
    expect(calls).toEqual(['reserve', 'ship'])
    expect(await world.job('o')).toMatchObject({ processState: 'Processed', workflowVersion: 2, schema: 6 })
    expect((await world.step('ship', 'o')).completeWithinMs).toBe(2 * 3_600_000)
  })

  it('says in the audit who changed what, and why', async () => {
    await waiting()
    await migrate()
    const [entry] = (await world.job('o')).audit
    expect(entry).toMatchObject({ command: 'migrate', by: 'ann', why: 'ship was left out' })
    expect(entry?.edit?.changes).toContainEqual({ stepId: null, path: 'version', before: '1', after: '2' })
    expect(entry?.edit?.changes.map(({ stepId, path }) => `${stepId ?? ''} ${path}`)).toContain('ship input')
    expect(world.telemetry.of('job.operated')).toMatchObject([{ command: 'migrate', jobId: 'o' }])
  })

  it('writes nothing in a dry run, and nothing again when it is repeated (F-B6)', async () => {
    await waiting()
    const before = world.faults.writes.length
    expect(await migrate(right, { dryRun: true })).toMatchObject({ changed: ['ship'], isDryRun: true })
    expect(world.faults.writes).toHaveLength(before)
    await migrate()
    expect(await migrate()).toMatchObject({ changed: [], edit: { changes: [], others: 0 } })
    expect(world.faults.writes).toHaveLength(before + 1)
  })

  it('is noticed by a scheduler that has read the new job, and remembers the old step (F-B7)', async () => {
    await waiting()
    const old = await world.step('ship', 'o')
    await migrate()
    const job = await world.job('o')
    const over = { ...job, steps: { ...job.steps, approve: { state: 'Processed' as const, dispatch: 1 } } }
    const approve = await world.step('approve', 'o')
    const output = { ...approve, output: 1, processState: 'Processed' as const }
    const decide = (ship: StepDocument) =>
      schedule({
        job: over,
        steps: new Map([output, ship].map((step) => [step.stepId, step])),
        now: world.clock.now(),
        scheduler: 'scheduler-1',
      })
    expect(decide(old)).toEqual({ kind: 'read', stepIds: ['ship'] })
    expect(decide(await world.step('ship', 'o'))).toMatchObject({
      kind: 'write',
      changed: [{ stepId: 'ship', input: 'ship' }],
    })
  })

  it('decides again if a step begins at the same moment, so that the step keeps its plan (F-B9)', async () => {
    await waiting()
    const { queries, clock, telemetry } = world
    const store = Object.create(world.store) as StateStore
    let isFirst = true
    store.apply = async (...write) => {
      if (isFirst) {
        isFirst = false
        await client.raiseEvent('o', 'approve', 3)
        await run()
      }
      return world.store.apply(...write)
    }
    const late = new JobClient({ store, queries, clock, telemetry })
    await expect(late.migrate('o', right, terms)).rejects.toThrow('job o is Processed: it has ended')
    expect(calls).toEqual(['reserve', 'shipp'])
    expect((await world.job('o')).workflowVersion).toBe(1)
  })

  it('leaves a job in Error there, and applies to the rest after a resubmission', async () => {
    const failing = (input: string, version: number) =>
      order((job) => {
        const reserved = job.step('reserve', bank.act, 'fail', none)
        job.step('ship', bank.act, input, { ...none, after: [reserved] })
      }, version)
    await waiting(failing('shipp', 1))
    expect((await world.job('o')).processState).toBe('Error')
    expect(await migrate(failing('ship', 2))).toMatchObject({ changed: ['ship'], kept: [] })
    expect((await world.job('o')).processState).toBe('Error')
    await client.resubmit('o', { ...terms, step: 'reserve', input: 'reserve' })
    await run()
    expect(calls).toEqual(['fail', 'reserve', 'ship'])
  })

  it('is refused for a job that is being undone', async () => {
    await waiting()
    await client.cancel('o', 'stop')
    expect(await refusal(right)).toContain('job o is being undone')
  })

  it('to an older version is refused, and written if the operator allows it', async () => {
    await waiting(right)
    const versions = 'job o has version 2 of workflow order, and the new definition is version 1'
    expect(await refusal(wrong)).toContain(versions)
    expect((await world.job('o')).workflowVersion).toBe(2)
    expect(await migrate(wrong, { older: true })).toMatchObject({ changed: ['ship'], kept: ['reserve'] })
    expect((await world.job('o')).workflowVersion).toBe(1)
  })

  it.each<[why: string, build: Build, said: string]>([
    [
      'that lacks a step',
      (job) => {
        job.step('reserve', bank.act, 'reserve', none)
        job.waitFor('approve')
      },
      'the new definition lacks step ship: a job keeps all its steps',
    ],
    [
      'that adds a step',
      (job) => {
        for (const id of ['reserve', 'ship', 'extra']) job.step(id, bank.act, id, none)
        job.waitFor('approve')
      },
      'the new definition adds step extra: the steps of a job are fixed',
    ],
    [
      'in which a step has another kind',
      (job) => {
        job.step('reserve', bank.act, 'reserve', none)
        job.waitFor('approve')
        job.sleep('ship', '1m')
      },
      'step ship is an operation, and in the new definition a sleep: a step keeps its kind',
    ],
    [
      'in which a step that is done waits for one that is not',
      (job) => {
        const approved = job.waitFor('approve')
        job.step('reserve', bank.act, 'reserve', { ...none, after: [approved] })
        job.step('ship', bank.act, 'ship', none)
      },
      'step reserve has begun, and in the new definition it waits for step approve, not over yet',
    ],
  ])('refuses a definition %s (F-B8)', async (_why, build, said) => {
    await waiting()
    const before = world.faults.writes.length
    expect(await refusal(order(build))).toContain(said)
    expect(world.faults.writes).toHaveLength(before)
  })

  it('refuses another workflow, an ended job, an unknown job and missing arguments', async () => {
    await waiting()
    const other = defineWorkflow<Order>('other', (job) => void job.step('ship', bank.act, 'ship', none))
    expect(await refusal(other)).toContain('job o runs workflow order, and the new definition is of other')
    await client.raiseEvent('o', 'approve', 1)
    await run()
    expect(await refusal(right)).toContain('job o is Processed: it has ended')
    await expect(client.migrate('x', right, terms)).rejects.toThrow(JobNotFound)
    await expect(client.migrate('o', right, { by: 'ann' } as never)).rejects.toThrow(CommandInvalid)
  })

  it('refuses an input that the new definition refuses', async () => {
    await waiting()
    const schema = { type: 'object', properties: { amount: { type: 'number', maximum: 1 } } } as const
    const strict = defineWorkflow<Order>('order', (job) => void job.step('ship', bank.act, 'ship', none), {
      input: schema,
      version: 2,
    })
    await expect(migrate(strict)).rejects.toThrow(CommandRefused)
    await expect(migrate(strict)).rejects.toThrow('the new definition refuses the input of job o')
  })
})
