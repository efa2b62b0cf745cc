import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { defineWorkflow } from '../../../../src/sas/index.js'
import { StateWorld } from '../../../support/state-world.js'

const bank = defineAgent('bank', {
  pay: (_input: object, context) => context.failPermanently('refused'),
})
const question = { title: 'Is it true?', remindAfter: '1m', completeWithin: '7d' } as const
const going = { signal: new AbortController().signal, wasHeldAt: () => true }

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

/** Runs new instances of all roles for some minutes, and in each minute until they have nothing to do. */
async function run({ minutes, agents: run }: { readonly minutes: number; readonly agents: boolean }) {
  const [scheduler, agents] = [world.scheduler(), world.agents({ agents: [bank] })]
  const supervisor = world.supervisor()
  for (let minute = 0; minute <= minutes; minute += 1) {
    if (minute > 0) await world.clock.advance(60_000)
    await supervisor.runOnce()
    for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
      await scheduler.onChanges(page)
      if (!run) continue
      await agents.onChanges(page, going)
      await agents.stop(1_000)
    }
  }
}

const flagged = async (): Promise<string | undefined> => {
  const [job] = await client.list({ isFlagged: true })
  return job && `${job.attention?.stepId ?? ''} ${job.attention?.kind ?? ''}`
}

describe('a job with the flags of several steps', () => {
  it('shows the parked step, which needs an operator, before a question without an answer', async () => {
    const buying = defineWorkflow('buying', (job) => {
      job.ask('review', question)
      const nap = job.sleep('nap', '5m')
      job.step('pay', bank.pay, {}, { undo: 'none', onExhausted: 'park', after: [nap] })
    })
    await client.submit(buying, null, { jobId: 'job-1' })
    await run({ minutes: 3, agents: true })
    expect(await flagged()).toBe('review unanswered')
    await run({ minutes: 4, agents: true })
    expect(await flagged()).toBe('pay parked')
    const view = await (await client.get('job-1'))?.view()
    expect(view?.steps.map(({ attention }) => attention?.kind)).toEqual(['unanswered', undefined, 'parked'])
  })

  it('releases its parked step with a release of all jobs, although another step is flagged first', async () => {
    const buying = defineWorkflow('buying', (job) => {
      job.ask('review', question)
      job.step('pay', bank.pay, {}, { undo: 'none', onExhausted: 'park' })
    })
    await client.submit(buying, null, { jobId: 'job-1' })
    await client.submit(
      defineWorkflow('asking', (job) => {
        job.ask('review', question)
      }),
      null,
      { jobId: 'only-asks' },
    )
    await run({ minutes: 3, agents: true })
    await client.triage('job-1', { by: 'ann', snooze: '1d' })
    await run({ minutes: 0, agents: true })
    expect((await client.list({ isFlagged: true })).map(({ attention }) => attention?.stepId)).toEqual([
      'review',
      'review',
    ])
    const report = await client.select({}).release({ by: 'ann', why: 'repaired' })
    expect([report.done, report.refused]).toEqual([['job-1'], []])
  })
})
