import type { Duration, Retry } from '../../platform/index.js'
import type { ResolvedRetry } from '../../platform/internal.js'
import {
  duration,
  durationRange,
  group,
  isObject,
  kind,
  optional,
  readOptions,
  wholeNumber,
} from '../../platform/options.js'
import type { AgentLog } from './agent-log.js'
import type { CircuitOptions } from './circuit.js'
import type { Json } from '../model/documents.js'
import type { Limit } from '../gates/limit-options.js'
import type { Progress } from '../model/readable-parts.js'
import type { ValueOrReference } from '../model/values/reference.js'
import {
  limitsOfCall,
  operationLimitProblems,
  type LimitsByOperation,
  type OperationLimits,
} from './operation-limits.js'
import { toTemplate } from '../model/values/to-template.js'

/** The attempt that a handler makes, and the functions that the handler may call. */
export interface AgentContext {
  readonly jobId: string
  readonly orderId: string
  readonly stepId: string
  /** The number of this attempt at the step, from 1. If its process dies, or stops, the attempt is made again with the same number. */
  readonly attempt: number
  /**
   * The key that all attempts at this step share. Pass it to the remote service, so that the service
   * recognises repeated calls. Each round of a repeated step (`job.repeat`) has a key of its own.
   */
  readonly idempotencyKey: string
  /**
   * For an undo: the idempotency key of the operation that is undone. The remote service may have received
   * this key even if its answer was lost. For a repeated step, this is the key of the first round, and the
   * keys of the other rounds are this key with `/r2`, `/r3` and so on. Null for any other step.
   */
  readonly undoes: string | null
  /** The number of the round of a repeated step, from 1. Always 1 for any other step. */
  readonly round: number
  /** The output of the previous round of a repeated step. Null in the first round and for any other step. */
  readonly previous: unknown
  /** The time when the attempt times out, unless `extend` moves it. No outcome is recorded afterwards. */
  readonly deadline: Date
  /** Aborts shortly before the deadline, or when the host stops. Pass the signal to every call that waits. */
  readonly signal: AbortSignal
  /**
   * Asks for more time than the step's `completeWithin`. Call `extend` whenever there is progress. Afterwards
   * at least half of `completeWithin` is left, unless the job itself must be done earlier. The call writes to
   * the store only if less than half is left.
   *
   * The call rejects once the handler has returned or `signal` has aborted, because no outcome is recorded
   * then. It also rejects if the store does not answer before the deadline.
   */
  readonly extend: () => Promise<void>
  /**
   * Says how far the attempt is, for `stepward status`, `watch` and the page, and asks for more time like
   * `extend`. Call it as often as you like: at most one report in ten seconds is written, with the newest values.
   * Rejects like `extend`, and with a TypeError if a value is invalid.
   */
  readonly progress: (report: Progress) => Promise<void>
  /**
   * Reads one of your own documents in the job's partition, such as a document stored `alongside`. Returns
   * null if the document does not exist. Rejects with `StoreUnavailable` if the store could not be reached.
   */
  readonly readDocument: (id: string) => Promise<Readonly<Record<string, unknown>> | null>
  /** Writes to the host's own events, for example `context.log.info('held', { sku })`. */
  readonly log: AgentLog
  /** Fails the step permanently, without further attempts. Then its `onExhausted` applies. Always throws. */
  failPermanently(error: unknown): never
}

/**
 * The code of one operation. If the handler returns, the step succeeds, and the returned value (JSON) is its
 * output. If the handler throws, the failure is recorded with diagnostics, and the step is tried again after
 * its back-off. A handler may run more than once for one step, so it must be idempotent.
 */
export type AgentHandler<I, O> = (input: I, context: AgentContext) => Promise<O> | O

/** A call of an operation in a workflow, with the input of the call. */
export interface OperationCall<O> {
  readonly actor: string
  readonly action: string
  readonly input: Json
  /** @internal */
  readonly limits?: readonly Limit[]
  /** Never set. The property only carries the type of the output. */
  readonly output?: O
}

/** One operation of an agent, for use in workflows. A call of the operation binds its input. */
export interface Operation<I, O> {
  (input: ValueOrReference<I>): OperationCall<O>
  readonly actor: string
  readonly action: string
  /** @internal */
  readonly limits?: OperationLimits<never>
}

/** Handlers by operation. The input `never` accepts every handler, as parameters are contravariant. */
export type AgentHandlers = Readonly<Record<string, (input: never, context: AgentContext) => unknown>>

/** An agent. Workflows name its operations, and a host runs its handlers. */
export type Agent<H extends AgentHandlers = AgentHandlers> = {
  readonly [K in keyof H]: H[K] extends (input: infer I, context: AgentContext) => infer O
    ? Operation<I, Awaited<O>>
    : never
} & { readonly [definition]: unknown }

/** The facts that a host needs about an agent. */
export interface AgentDefinition {
  readonly name: string
  readonly handlers: ReadonlyMap<string, AgentHandler<Json, unknown>>
  /** The number of its handlers that run at the same time in one instance. Null means every slot. */
  readonly slots: number | null
  /** The largest number of calls of a handler within one attempt, and the pauses between the calls. */
  readonly retry: ResolvedRetry
  /** The settings of the circuit breaker. Null if the remote service is always called. */
  readonly circuit: CircuitOptions | null
}

/** Options for running an agent. */
export interface AgentOptions<H extends AgentHandlers = AgentHandlers> {
  /**
   * The limits of operations. Every step that calls the operation goes through them, in all workflows. A limit
   * travels with the plan of a job, so a changed limit holds for jobs of workflows that are defined with it. An undo
   * goes through no limit.
   */
  readonly limits?: {
    readonly [K in keyof H]?: H[K] extends (input: infer I, context: AgentContext) => unknown
      ? OperationLimits<I>
      : never
  }
  /**
   * The number of handlers of this agent that run at the same time in one instance, 1 or more. Choose a
   * number that the remote service can bear. Default: every slot of the instance.
   */
  readonly slots?: number
  /**
   * Retries for faults that pass quickly. A handler that throws is called again within the same attempt, up
   * to `tries` times in all (1 or more). The pause before each call doubles from `min` to `max`.
   *
   * The attempt fails, and counts as one failure, if the last try failed, if the handler called
   * `failPermanently`, or if the time before the deadline is too short for a pause of `max`. Default: one
   * try.
   */
  readonly retry?: Required<Retry>
  /**
   * The circuit breaker. After `failures` failed attempts in a row (1 or more) in one instance, attempts fail
   * for the time `openFor` without a call of the handler. Then one attempt calls the handler as a test.
   * Attempts without a call also count as failures of the step, so choose back-offs longer than `openFor`.
   * Default: the handler is always called.
   */
  readonly circuitBreaker?: { readonly failures: number; readonly openFor: Duration }
}

const definition = Symbol('stepward.agent')

const namePattern = /^[a-z][a-z0-9-]*$/

/** The document id of a step has at most 1,023 bytes, also with the longest job id. */
const longestName = 200

/** The rule of {@link isName}, as a part of a sentence. */
export const nameRule = `must match ${String(namePattern)} and have at most ${longestName} characters`

/** Checks whether a value can be the name of an agent, a workflow or a step. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && namePattern.test(value) && value.length <= longestName
}

/**
 * Defines an agent by a name and one handler for each operation that the agent offers.
 *
 * @throws TypeError that lists every problem: a name that does not match `[a-z][a-z0-9-]*` or is longer than 200 characters, no operation, or
 * an option outside its bounds
 */
export function defineAgent<H extends AgentHandlers>(
  name: string,
  handlers: H,
  options: AgentOptions<NoInfer<H>> = {},
): Agent<H> {
  const actions = isObject(handlers) ? Object.entries(handlers) : []
  const { values, problems: wrong } = readOptions(shape, options)
  const problems = [
    ...(isName(name) ? [] : [`its name ${nameRule}`]),
    ...(actions.length === 0 ? ['it needs at least one operation'] : []),
    ...actions.flatMap(([action, handler]) =>
      typeof handler === 'function' ? [] : [`its operation ${JSON.stringify(action)} must be a function`],
    ),
    ...wrong,
    ...operationLimitProblems(
      values.limits,
      actions.map(([action]) => action),
    ),
  ]
  if (problems.length > 0) throw new TypeError(`agent ${JSON.stringify(name)}: ${problems.join('; ')}`)
  const operations = actions.map(
    ([action]) => [action, operation(name, action, values.limits?.[action])] as const,
  )
  const known: AgentDefinition = {
    name,
    handlers: new Map(actions as [string, AgentHandler<Json, unknown>][]),
    slots: values.slots,
    retry: values.retry,
    circuit: values.circuitBreaker,
  }
  return { ...Object.fromEntries(operations), [definition]: known } as Agent<H>
}

const once: ResolvedRetry = { tries: 1, backoff: { minMs: 0, maxMs: 0 } }

const shape = {
  limits: optional(kind<LimitsByOperation>('an object with a list of limits for an operation', isObject)),
  slots: optional(wholeNumber(1), null),
  retry: optional(group({ tries: wholeNumber(1), backoff: durationRange() }), once),
  circuitBreaker: optional(
    group({ failures: wholeNumber(1), openFor: duration() }).transform(
      ({ failures, openFor }): CircuitOptions => ({ failures, openForMs: openFor }),
    ),
    null,
  ),
}

function operation(
  actor: string,
  action: string,
  limits: OperationLimits<unknown> | undefined,
): Operation<unknown, unknown> {
  const call = (input: unknown): OperationCall<unknown> => {
    const own = limitsOfCall(limits, input)
    const stored = toTemplate(input, `input of ${actor}.${action}`)
    return { actor, action, input: stored, ...(own && { limits: own }) }
  }
  return Object.assign(call, { actor, action, ...(limits && { limits }) })
}

/** Checks whether a value, such as an export of a user's module, is an agent. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && definition in value
}

/** Returns the name of an agent and of its operations. */
export function agentOperations(agent: Agent): {
  readonly name: string
  readonly operations: readonly string[]
} {
  const { name, handlers } = definitionOf(agent)
  return { name, operations: [...handlers.keys()] }
}

/** Returns the agent with `seen` called before each call of a handler. */
export function observed(
  agent: Agent,
  seen: (action: string, input: Json, context: AgentContext) => void,
): Agent {
  const known = definitionOf(agent)
  const handlers = [...known.handlers].map(([action, handler]) => {
    const calling: AgentHandler<Json, unknown> = (input, context) => {
      seen(action, input, context)
      return handler(input, context)
    }
    return [action, calling] as const
  })
  const changed: AgentDefinition = { ...known, handlers: new Map(handlers) }
  return { ...agent, [definition]: changed }
}

export function definitionOf(agent: Agent): AgentDefinition {
  return agent[definition] as AgentDefinition
}
