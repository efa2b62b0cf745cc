import { defineAgent, type Agent, type AgentContext } from 'stepward'
import type { Recorder } from './recorder.js'
import type { Mood, RemoteCall } from './remote.js'

export interface Asked {
  readonly moods: readonly Mood[]
  /** The result of the step, for an undo, or null if unknown. */
  readonly receipt?: number | null
}

export interface Receipt {
  readonly receipt: number
}

type Handler = (asked: Asked, context: AgentContext) => Promise<Receipt>

/** Returns two agents that call the same service: `remote` once for an attempt, `eager` up to twice. */
function agentsOf(handler: (kind: RemoteCall['kind']) => Handler) {
  const handlers = { act: handler('do'), undo: handler('undo') }
  const backoff = { min: 30, max: 60 }
  return {
    remote: defineAgent('remote', handlers),
    eager: defineAgent('eager', handlers, { retry: { tries: 2, backoff } }),
  }
}

/** The agents as workflows name them, without working handlers. */
export const named = agentsOf(() => () => Promise.reject(new Error('runs in the workers only')))

/** Returns the agents as workers run them. Every call of a handler is recorded in the history. */
export function recordedAgents(recorder: Recorder, url: string): Agent[] {
  const { remote, eager } = agentsOf((kind) => async ({ moods, receipt = null }, context) => {
    const { jobId, stepId, idempotencyKey: key, undoes, attempt, deadline } = context
    const about = { kind, jobId, stepId, key, undoes, attempt, deadline: deadline.getTime(), receipt }
    const begun = recorder.invoke('handler', about)
    const call: RemoteCall = { kind, key, undoes, jobId, stepId, moods }
    let answer: Response
    let said: unknown
    try {
      answer = await fetch(url, { method: 'POST', body: JSON.stringify(call), signal: context.signal })
      said = await answer.json()
    } catch (error) {
      begun.info()
      throw error
    }
    if (answer.status === 422 || answer.status === 409) {
      begun.fail({ isPermanent: true })
      return context.failPermanently(new Error(JSON.stringify(said)))
    }
    if (!answer.ok) {
      begun.fail({ isPermanent: false })
      throw new Error(`the service answered ${answer.status}`)
    }
    begun.ok({ receipt: (said as Receipt).receipt })
    return said as Receipt
  })
  return [remote, eager]
}
