import { describe, expect, it } from 'vitest'
import { defineAgent, defineWorkflow, condition } from '../../../src/sas/index.js'
import {
  simulateWorkflow,
  type WorkflowSimulationOptions,
} from '../../../src/testing/stories/simulate-workflow.js'

const shop = (sales: string[]) =>
  defineAgent('shop', {
    sell: async (_order: object, { idempotencyKey }) => {
      sales.push(idempotencyKey)
      return null
    },
  })

const workflow = defineWorkflow<object>('selling', (job) => {
  job.step('sell', shop([]).sell, {}, { completeWithin: '30s', retry: { tries: 3 }, undo: 'none' })
})

/** Stories that have a problem if there are more than `limit` sales. */
function selling(limit: number): WorkflowSimulationOptions<object> {
  return {
    workflow,
    input: {},
    setup: () => {
      const sales: string[] = []
      return {
        agents: [shop(sales)],
        check: ({ state }) => (state === 'Processed' && sales.length > limit ? ['sold too often'] : []),
      }
    },
  }
}

describe('the simulation of a workflow', () => {
  it('runs a story for each fault at each write and one without faults, and all of them end', async () => {
    const { stories, ends, problems } = await simulateWorkflow(selling(Infinity))
    expect(problems).toEqual([])
    expect(ends).toEqual({ Processed: stories })
    expect(stories % 6).toBe(1)
    expect(stories).toBeGreaterThan(18)
  })

  it('shows a repeated effect, and replays its story (R74, F-A3)', async () => {
    const { problems } = await simulateWorkflow(selling(1))
    expect(problems).toContainEqual({ faults: ['crashBefore@W3#1'], problem: 'sold too often' })
    expect(problems.every(({ faults }) => faults.length === 1)).toBe(true)
    const again = await simulateWorkflow({ ...selling(1), only: ['crashBefore@W3#1'] })
    expect(again).toEqual({
      stories: 1,
      ends: { Processed: 1 },
      problems: [{ faults: ['crashBefore@W3#1'], problem: 'sold too often' }],
    })
  })

  it('reports a job that does not end', async () => {
    const closed = defineAgent('shop', { sell: () => Promise.reject(new Error('closed')) })
    const failing = { ...selling(1), setup: () => ({ agents: [closed] }), only: [] }
    const { ends, problems } = await simulateWorkflow({ ...failing, workflow: neverEnding })
    expect(problems).toEqual([
      { faults: [], problem: expect.stringMatching(/has not ended after \d+ s/) as string },
    ])
    expect(ends).toEqual({})
  })

  it('adds pairs of faults, the same ones for the same seed', async () => {
    const one = await simulateWorkflow(selling(Infinity))
    const more = await simulateWorkflow({ ...selling(1), pairs: 8 })
    expect(more.stories).toBe(one.stories + 8)
    expect(await simulateWorkflow({ ...selling(1), pairs: 8 })).toEqual(more)
  })

  it.each([0, 5_000])('raises an event %i ms after the submission, under every fault', async (after) => {
    const events = [{ step: 'approve', payload: 'yes', after }]
    const { stories, ends, problems } = await simulateWorkflow({ ...waiting, events })
    expect(problems).toEqual([])
    expect(ends).toEqual({ Processed: stories })
    const struck = await simulateWorkflow({ ...waiting, events, only: ['crashBefore@W10#1'] })
    expect(struck).toMatchObject({ ends: { Processed: 1 }, problems: [] })
  })

  it.each([[[]], [['crashBefore@W1#1']], [['crashAfter@W4#1']], [['answerLost@W6#1']]])(
    'runs a step that sleeps for half an hour, with these faults: %j',
    async (only) => {
      const { ends, problems } = await simulateWorkflow({ ...selling(Infinity), workflow: sleeping, only })
      expect(problems).toEqual([])
      expect(ends).toEqual({ Processed: 1 })
    },
  )

  it('waits three days for an event, even under a fault', async () => {
    const events = [{ step: 'approve', payload: 'yes', after: '3d' }]
    for (const only of [[], ['crashBefore@W10#1']]) {
      const { ends, problems } = await simulateWorkflow({ ...waitingFor('7d'), events, only })
      expect(problems).toEqual([])
      expect(ends).toEqual({ Processed: 1 })
    }
  })

  it('lets a step without its event run into its deadline', async () => {
    const { ends } = await simulateWorkflow({ ...waiting, only: [] })
    expect(ends).toEqual({ Error: 1 })
  })

  it('refuses an event for which no step waits', async () => {
    const events = [{ step: 'sell' }]
    await expect(simulateWorkflow({ ...waiting, events })).rejects.toThrow(
      'step "sell" does not wait for an event; those that do: approve',
    )
  })

  it('reports an answer that does not fit the form', async () => {
    const asking = defineWorkflow<object>('asking', (job) => {
      job.ask('sure', { title: 'Sure?', completeWithin: '2m', onExhausted: 'continue' })
    })
    const answers = [{ step: 'sure', data: 5 }]
    const setup = () => ({ agents: [] })
    const { problems } = await simulateWorkflow({ workflow: asking, input: {}, setup, answers, only: [] })
    expect(problems).toEqual([
      {
        faults: [],
        problem: expect.stringMatching(/^the answer 5 for step sure is invalid: .*boolean/) as string,
      },
    ])
    const right = [{ step: 'sure', data: true }]
    const fitting = { workflow: asking, input: {}, setup, answers: right, only: [] }
    expect((await simulateWorkflow(fitting)).problems).toEqual([])
  })

  it('refuses options that are missing or unknown', async () => {
    const without = { workflow, input: {} } as unknown as WorkflowSimulationOptions<object>
    await expect(simulateWorkflow(without)).rejects.toThrow(
      'simulateWorkflow: setup is missing; it must be a function that returns the agents and the check',
    )
    const misspelt = { ...selling(1), answer: [] } as WorkflowSimulationOptions<object>
    await expect(simulateWorkflow(misspelt)).rejects.toThrow('did you mean answers?')
  })

  it('refuses an unknown fault', async () => {
    await expect(simulateWorkflow({ ...selling(1), only: ['crash'] })).rejects.toThrow(
      '"crash" is not a fault',
    )
  })
})

/** No process has this agent, and an attempt that no agent claims never counts. */
const neverEnding = defineWorkflow<object>('never-ending', (job) => {
  const onExhausted = { extendedWait: '1h' } as const
  job.step(
    'sell',
    shop([]).sell,
    {},
    { completeWithin: '30s', retry: { tries: 1 }, onExhausted, undo: 'none' },
  )
})

const sleeping = defineWorkflow<object>('sleeping', (job) => {
  const rest = job.sleep('rest', '30m')
  job.step(
    'sell',
    shop([]).sell,
    {},
    { completeWithin: '30s', retry: { tries: 3 }, undo: 'none', after: [rest] },
  )
})

/** Sells once the event has approved it, that is when the payload of the event is `yes`. */
const waitingFor = (completeWithin: '2m' | '7d'): WorkflowSimulationOptions<object> => ({
  workflow: defineWorkflow<object>('approving', (job) => {
    const approved = job.waitFor<string>('approve', { completeWithin })
    const when = condition.equal(approved.output, 'yes')
    job.step('sell', shop([]).sell, {}, { completeWithin: '30s', retry: { tries: 3 }, undo: 'none', when })
  }),
  input: {},
  setup: () => {
    const sales: string[] = []
    return {
      agents: [shop(sales)],
      check: ({ state }) => (state === 'Processed' && sales.length === 0 ? ['nothing was sold'] : []),
    }
  },
})
const waiting = waitingFor('2m')
