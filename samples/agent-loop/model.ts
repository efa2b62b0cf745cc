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
