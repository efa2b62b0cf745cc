import { condition, defineAgent, defineWorkflow, systemClock, type AgentContext } from 'stepward'
import { ask } from '../remote-service/ask.js'
import type { Call, Memory, Model } from './model.js'
import { standInOf } from './stand-in.js'

/** Carries out a call once for each key. */
export type Tools = (call: Call, context: AgentContext) => Promise<unknown>

const kept = 4

/**
 * Returns the agent with this model and these tools. Each round carries out the call that the round before
 * decided, and decides the next one. So a decision is stored before it has an effect. If a process dies and the
 * round is repeated, the same call has the same key, although a model may decide differently each time.
 */
export const assistantOf = (model: Model, tools: Tools) =>
  defineAgent('assistant', {
    work: async ({ goal }: { goal: string }, context): Promise<Memory> => {
      const { total, recent, next } = (context.previous as Memory | null) ?? opening(goal)
      if (next === null) return context.failPermanently('the goal was reached before')
      const result = await tools(next, context)
      const known = {
        total: total + wordsIn(result),
        recent: [...recent, { call: next, result }].slice(-kept),
      }
      return { ...known, next: await model(goal, known, context.signal) }
    },
  })

const opening = (goal: string): Memory => ({
  next: { tool: 'open', argument: goal },
  total: 0,
  recent: [],
})

function wordsIn(result: unknown): number {
  const { words = 0 } = result as { readonly words?: number }
  return words
}

/** The tools of the sample are requests to a remote service, which does each key once. */
const remoteTools: Tools = ({ tool, argument }, context) => ask(tool, { argument }, context)

export const assistant = assistantOf(
  standInOf(() => systemClock.now()),
  remoteTools,
)

/** Lets the assistant work towards the goal, round by round. */
export const research = defineWorkflow<{ readonly goal: string }, { readonly words: number }>(
  'research',
  (job) => {
    const worked = job.repeat('work', assistant.work, job.input, {
      until: (memory) => condition.equal(memory.next, null),
      atMost: 500,
      completeWithin: '2s',
      retry: { tries: 50, backoff: { min: '100ms', max: '1s' } },
      undo: 'none',
    })
    return { words: worked.output.total }
  },
  { jobId: ({ goal }) => goal },
)
