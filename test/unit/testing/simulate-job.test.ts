import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { condition, defineAgent, defineWorkflow, type WorkflowBuilder } from '../../../src/sas/index.js'
import type { Clock } from '../../../src/platform/index.js'
import { simulateJob } from '../../../src/testing/stories/simulate-job.js'

interface Claim {
  readonly claimId: string
  readonly amount: number
}

const office = defineAgent('office', {
  send: (_letter: { readonly to: string }) => null,
  pay: ({ amount }: { readonly amount: unknown }) => ({ paid: amount }),
})

/** A claim with a reminder after 3 days, an escalation after 7, and letters of its own at these times. */
const settling = defineWorkflow('settling', (job: WorkflowBuilder<Claim>) => {
  const review = job.ask('review', {
    title: 'Is the claim covered?',
    form: z.object({ ok: z.boolean() }),
    assignees: ['ann'],
    remindAfter: '3d',
    escalateAfter: '7d',
    escalateTo: ['head'],
    completeWithin: '10d',
    onExhausted: 'continue',
  })
  const isOpen = condition.not(condition.doneSoFar(review))
  const threeDays = job.sleep('three-days', '3d', { orUntil: review })
  job.step('remind', office.send, { to: 'ann' }, { after: [threeDays], when: isOpen, undo: 'none' })
  const sevenDays = job.sleep('seven-days', '7d', { orUntil: review })
  job.step('escalate', office.send, { to: 'head' }, { after: [sevenDays], when: isOpen, undo: 'none' })
  const isCovered = condition.equal(review.output.ok, true)
  const bill = job.waitFor<{ readonly total: number }>('bill', { completeWithin: '90d', when: isCovered })
  const pay = job.step('pay', office.pay, { amount: bill.output.total }, { undo: 'none' })
  return { paid: pay.output.paid }
})

const begun = () =>
  simulateJob({ workflow: settling, input: { claimId: 'C-1', amount: 900 }, agents: () => [office] })

describe('a job simulated step by step', () => {
  it('is answered, and gets its event after months', async () => {
    const run = await begun()
    expect((await run.view()).why).toContain('Step review waits for an answer from ann')
    const askedAt = run.now
    await run.answer('review', { ok: true }, { by: 'ann', note: 'covered' })
    await run.advance('60d')
    expect(run.calls).toEqual([])
    expect(run.now.getTime() - askedAt.getTime()).toBeGreaterThan(60 * 86_400_000)
    await run.raise('bill', { total: 800 })
    expect(run.calls).toMatchObject([
      { step: 'pay', operation: 'office.pay', attempt: 1, input: { amount: 800 } },
    ])
    expect(await run.result()).toEqual({ paid: 800 })
  })

  it('reminds after three days and escalates after seven, and not earlier', async () => {
    const run = await begun()
    await run.advance('2d')
    expect(run.calls).toEqual([])
    await run.advance('1d')
    expect(run.calls).toMatchObject([{ step: 'remind', input: { to: 'ann' } }])
    expect((await run.view()).attention).toMatchObject({ kind: 'unanswered', stepId: 'review' })
    await run.advance('4d')
    expect(run.calls.map(({ step }) => step)).toEqual(['remind', 'escalate'])
    expect((await run.view()).attention).toMatchObject({ kind: 'escalated' })
    await run.advance('3d')
    const { state, steps } = await run.view()
    expect(state).toBe('Processed')
    expect(steps.find(({ stepId }) => stepId === 'review')?.state).toBe('TimedOut')
  })

  it('has the same calls at the same times in every run', async () => {
    const calls = async () => {
      const run = await begun()
      await run.advance('8d')
      await run.answer('review', { ok: false })
      return [run.calls, run.now, await run.result()]
    }
    expect(await calls()).toEqual(await calls())
  })

  it('stays at rest during short waits', async () => {
    const run = await simulateJob({ workflow: short, input: null, agents: () => [office] })
    await run.advance('10s')
    expect(run.calls).toEqual([])
    await run.raise('go')
    expect(run.calls).toEqual([])
    await run.advance('15s')
    expect(run.calls).toHaveLength(1)
    expect(await run.result()).toEqual({ go: null, rest: null, pay: { paid: 1 } })
  })

  it('collects events by key', async () => {
    const run = await simulateJob({ workflow: collecting, input: null, agents: () => [] })
    await run.raise('offers', 1, { key: 'a' })
    await run.raise('offers', 2, { key: 'a' }).catch(() => undefined)
    expect((await run.view()).why).toContain('1 of 2 have arrived')
    await run.raise('offers', 3, { key: 'b' })
    expect(await run.result()).toEqual({ offers: [1, 3] })
  })

  it('advances through retries and rounds of an agent that waits for minutes', async () => {
    const busy = (clock: Clock) =>
      defineAgent('office', {
        pay: async (_input: object, { attempt }) => {
          await clock.sleep(300_000)
          if (attempt < 3) throw new Error('busy')
          return { paid: attempt }
        },
      })
    const run = await simulateJob({ workflow: retried, input: null, agents: (clock) => [busy(clock)] })
    expect((await run.view()).why).toContain('is dispatched to agent office')
    await run.advance('1h')
    expect(run.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(await run.result()).toEqual({ pay: { paid: 3 } })
  })

  it.each(['crashBefore@W10#1', 'crashAfter@W10#1', 'answerLost@W4#1', 'crashBefore@W3#1'])(
    'ends the same with the fault %s',
    async (fault) => {
      const input = { claimId: 'C-1', amount: 900 }
      const run = await simulateJob({
        workflow: settling,
        input,
        agents: () => [office],
        faults: [fault],
      })
      await run.answer('review', { ok: true })
      await run.raise('bill', { total: 800 })
      await run.advance('10m').catch(() => undefined)
      expect(await run.result()).toEqual({ paid: 800 })
    },
  )
})

describe('a job simulated step by step refuses', () => {
  it('an event or an answer for a step that does not take it', async () => {
    const run = await begun()
    await expect(run.raise('review')).rejects.toThrow('does not wait for an event; those that do: bill')
    await expect(run.answer('bill', true)).rejects.toThrow('step "bill" asks no question')
    await expect(run.answer('nosuch', true)).rejects.toThrow('those that do: review')
    await expect(run.answer('review', { ok: 'yes' })).rejects.toMatchObject({ code: 'COMMAND_INVALID' })
  })

  it('an answer to a question that is not put yet', async () => {
    const run = await simulateJob({ workflow: later, input: null, agents: () => [] })
    await expect(run.answer('sure', true)).rejects.toThrow('step sure is not asked yet')
    await run.advance('1d')
    await run.answer('sure', true)
    expect(await run.result()).toMatchObject({ sure: true })
  })

  it('a result before the end, and says for what the job waits', async () => {
    const run = await begun()
    await expect(run.result()).rejects.toThrow(
      /has not ended: Step review waits for an answer from ann.*advance the time/u,
    )
  })

  it('anything after the end of the job', async () => {
    const run = await begun()
    await run.answer('review', { ok: false })
    const over = 'the job has ended as Processed, so '
    await expect(run.advance('1d')).rejects.toThrow(`${over}nothing is due any more`)
    await expect(run.raise('bill')).rejects.toThrow(`${over}no event can arrive`)
    await expect(run.answer('review', { ok: true })).rejects.toThrow(`${over}no question is open`)
  })

  it('wrong options and durations, and calls that overlap', async () => {
    await expect(simulateJob({ workflow: short, input: null } as never)).rejects.toThrow('agents')
    const run = await begun()
    await expect(run.advance('soon')).rejects.toThrow('"soon" is no duration')
    const first = run.advance('1d')
    await expect(run.view()).rejects.toThrow('await each call')
    await first
  })

  it('the result of a job that failed, like a client', async () => {
    const run = await simulateJob({ workflow: short, input: null, agents: () => [office] })
    await run.advance('30s')
    await expect(run.result()).rejects.toMatchObject({ code: 'JOB_FAILED' })
  })
})

const short = defineWorkflow<null>('short', (job) => {
  const go = job.waitFor('go', { completeWithin: '30s' })
  const rest = job.sleep('rest', '20s')
  job.step('pay', office.pay, { amount: 1 }, { after: [go, rest], undo: 'none' })
})
const collecting = defineWorkflow<null>('collecting', (job) => {
  job.waitFor<number>('offers', { count: 2, completeWithin: '2d' })
})
const retried = defineWorkflow<null>('retried', (job) => {
  const retry = { tries: 3, backoff: { min: '1m', max: '2m' } }
  job.step('pay', office.pay, { amount: 1 }, { completeWithin: '10m', retry, undo: 'none' })
})
const later = defineWorkflow<null>('later', (job) => {
  const rest = job.sleep('rest', '1d')
  job.ask('sure', { title: 'Are you sure?', after: [rest] })
})

describe('what a simulation refuses or names before it begins', () => {
  const billing = defineAgent('billing', { send: (_input: null) => null })
  const named = defineWorkflow<{ readonly claimId: string }>(
    'named',
    (job) => void job.step('send', billing.send, null, { undo: 'none' }),
    { jobId: ({ claimId }) => claimId },
  )
  const input = { claimId: 'C-7' }

  it('names the missing agents and operations', async () => {
    const other = defineAgent('billing', { print: (_input: null) => null })
    await expect(simulateJob({ workflow: named, input, agents: () => [office] })).rejects.toThrow(
      'simulateJob: step send calls billing.send, but no agent billing: return every agent of the workflow',
    )
    await expect(simulateJob({ workflow: named, input, agents: () => [other] })).rejects.toThrow(
      'agent billing has no operation send',
    )
  })

  it('uses the jobId of the workflow', async () => {
    const run = await simulateJob({ workflow: named, input, agents: () => [billing] })
    expect(run.jobId).toBe('C-7')
    expect((await run.view()).state).toBe('Processed')
  })
})
