import { condition, defineAgent, defineWorkflow, systemClock, type AgentContext } from 'stepward'
import { ask } from '../remote-service/ask.js'
import { standInOf } from './stand-in.js'

/** A call of a tool, as a model decides it. */
export interface Call {
  readonly tool: 'open' | 'read' | 'note' | 'publish'
  readonly argument: string
}

/** A call and its result. */
export interface Move {
  readonly call: Call
  readonly result: unknown
}

/** What the assistant keeps from round to round. It is stored with the job, so it must stay small. */
export interface Memory {
  /** The call of the next round, or null when the goal is reached. */
  readonly next: Call | null
  readonly total: number
  /** The last few moves, which the model sees. */
  readonly recent: readonly Move[]
}

/**
 * Decides the next call, or null when the goal is reached. A function that sends the goal, the recent moves
 * and the schemas of the tools to a real model has the same form. It returns the tool call of the answer. Pass
 * `signal` to the request, give the step a `completeWithin` of minutes, and a shared limit for the rate
 * of the model: `limits: [{ key: 'model', perSecond: 5 }]`.
 */
export type Model = (goal: string, memory: Omit<Memory, 'next'>, signal: AbortSignal) => Promise<Call | null>

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
