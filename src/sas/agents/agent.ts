import { unknownOptions, type Backoff } from '../../platform/index.js'
import type { AgentLog } from './agent-log.js'
import type { CircuitOptions } from './circuit.js'
import type { Json } from '../model/documents.js'
import { durationMs, type Duration } from '../model/duration.js'
import { toTemplate, type Bound } from '../model/reference.js'

/** What a handler is told about the attempt it is making. */
export interface AgentContext {
  readonly jobId: string
  readonly orderId: string
  readonly stepId: string
  /** 1 for the first try of a step. */
  readonly attempt: number
  /** The same for every attempt at this step: pass it to the remote service, which can then recognise a repetition. */
  readonly idempotencyKey: string
  /** For an undo: the key of what it undoes, which a remote service knows even where its answer was lost. Else null. */
  readonly undoes: string | null
  /** When the attempt is given up; later after `extend`. Nothing is recorded after it. */
  readonly deadline: Date
  /** Aborts shortly before the deadline and when the host stops. Hand it to everything that waits. */
  readonly signal: AbortSignal
  /**
   * For work that may take longer than the step's `completeWithin`: call it as often as there is progress. Afterwards at
   * least half of `completeWithin` is left from now on, unless the job itself must be done earlier. It writes only when
   * less is left. Rejects once nothing more would be recorded: the deadline has passed, the step was stopped or given to
   * another attempt, and `signal` has aborted; or the handler has returned. Rejects as well when the store does not answer
   * until then.
   */
  readonly extend: () => Promise<void>
  /**
   * A document of your own with this id in the job's partition, such as one stored `alongside`, as it is now; null when there
   * is none. Rejects with `StoreUnavailable` when the store could not be asked.
   */
  readonly readDocument: (id: string) => Promise<Readonly<Record<string, unknown>> | null>
  /** For what is worth knowing while it works, where the host's own events go: `context.log.info('held', { sku })`. */
  readonly log: AgentLog
  /** Ends the step for good: no further attempt, an operator is asked to look. Always throws. */
  failPermanently(error: unknown): never
}

/**
 * The code of one operation. Returning records success with the returned value as the step's output (JSON); throwing
 * reports a failure with diagnostics, and the step is tried again when its back-off has passed. It may run more than
 * once for one step, so it must be idempotent.
 */
export type AgentHandler<I, O> = (input: I, context: AgentContext) => Promise<O> | O

/** An operation used in a workflow: which agent, which action, with which input. */
export interface OperationCall<O> {
  readonly actor: string
  readonly action: string
  readonly input: Json
  /** Never set: carries the output's type. */
  readonly output?: O
}

/** One operation of an agent, as workflows name it. Calling it binds its input. */
export interface Operation<I, O> {
  (input: Bound<I>): OperationCall<O>
  readonly actor: string
  readonly action: string
}

// The parameter type of a handler is contravariant, so "any handler" can only be said with `never`.
type Handlers = Readonly<Record<string, (input: never, context: AgentContext) => unknown>>

/** An agent: its operations for workflows to name, and its handlers for a host to run. */
export type Agent<H extends Handlers = Handlers> = {
  readonly [K in keyof H]: H[K] extends (input: infer I, context: AgentContext) => infer O
    ? Operation<I, Awaited<O>>
    : never
} & { readonly [definition]: AgentDefinition }

/** How often a handler is called within one attempt, the first time included, and the rest between. */
export interface HandlerTries {
  readonly count: number
  readonly backoff: Backoff
}

const once: HandlerTries = { count: 1, backoff: { minMs: 0, maxMs: 0 } }

/** What a host needs to know of an agent. */
export interface AgentDefinition {
  readonly name: string
  readonly handlers: ReadonlyMap<string, AgentHandler<Json, unknown>>
  /** Handlers of it that run at once in one instance; null for as many as the instance has slots. */
  readonly slots: number | null
  readonly tries: HandlerTries
  /** Null for an agent whose remote service is called whatever happens. */
  readonly circuit: CircuitOptions | null
}

/** How an agent is run, where the defaults are not wanted. */
export interface AgentOptions {
  /**
   * Handlers of this agent that run at once in one instance, 1 or more: as many as its remote service bears. Default:
   * all slots of the instance.
   */
  readonly slots?: number
  /**
   * A handler that throws is called again within the same attempt, up to `tries` times in all (1 or more), after a rest
   * that doubles from `min` to `max`: for faults that pass quickly. The attempt fails, and counts once, with the last of
   * them, when `failPermanently` was called, or when `max` no longer fits before the deadline. Default: one try.
   */
  readonly retry?: {
    readonly tries: number
    readonly backoff: { readonly min: Duration; readonly max: Duration }
  }
  /**
   * After this number of `failures` in a row (1 or more) in one instance, attempts fail for the time `openFor` without a
   * call of the handler; then one is let through to see. Attempts that fail so count like others, so let the steps'
   * back-off outlast it. Default: the handler is always called.
   */
  readonly circuitBreaker?: { readonly failures: number; readonly openFor: Duration }
}

const definition = Symbol('stepward.agent')

/** What agents, workflows and steps may be called. */
export const namePattern = /^[a-z][a-z0-9-]*$/

/**
 * Defines an agent: a name, and one handler for each operation it offers.
 *
 * @throws TypeError with everything that is wrong: a name that is not `[a-z][a-z0-9-]*`, no operation, an option out of
 * its bounds
 */
export function defineAgent<H extends Handlers>(
  name: string,
  handlers: H,
  options: AgentOptions = {},
): Agent<H> {
  const actions = Object.entries(handlers)
  const problems = [
    ...(namePattern.test(name) ? [] : [`its name must match ${String(namePattern)}`]),
    ...(actions.length === 0 ? ['it needs at least one operation'] : []),
    ...actions.flatMap(([action, handler]) =>
      typeof handler === 'function' ? [] : [`its operation ${JSON.stringify(action)} must be a function`],
    ),
    ...unknownOptions(options, knownOptions),
    ...optionProblems(options),
  ]
  if (problems.length > 0) throw new TypeError(`agent ${JSON.stringify(name)}: ${problems.join('; ')}`)
  const operations = actions.map(([action]) => [action, operation(name, action)] as const)
  const known: AgentDefinition = {
    name,
    handlers: new Map(actions as [string, AgentHandler<Json, unknown>][]),
    slots: options.slots ?? null,
    tries: triesOf(options),
    circuit: circuitOf(options),
  }
  return { ...Object.fromEntries(operations), [definition]: known } as Agent<H>
}

const knownOptions: readonly (keyof AgentOptions)[] = ['slots', 'retry', 'circuitBreaker']

function optionProblems({ slots, retry, circuitBreaker }: AgentOptions): readonly string[] {
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1
  const isOpenForLong = circuitBreaker === undefined || durationMs(circuitBreaker.openFor) !== null
  return [
    ...(slots === undefined || isCount(slots) ? [] : [`slots ${slots} must be a whole number from 1`]),
    ...(retry === undefined ? [] : retryProblems(retry)),
    ...(circuitBreaker === undefined || isCount(circuitBreaker.failures)
      ? []
      : [`circuitBreaker.failures ${circuitBreaker.failures} must be a whole number from 1`]),
    ...(isOpenForLong
      ? []
      : [
          `circuitBreaker.openFor ${JSON.stringify(circuitBreaker.openFor)} must be a duration such as '30s'`,
        ]),
  ]
}

function retryProblems({ tries, backoff }: NonNullable<AgentOptions['retry']>): readonly string[] {
  const said = Object.entries({ min: backoff.min, max: backoff.max })
  const wrong = said.filter(([, duration]) => durationMs(duration) === null)
  const isTurned = (durationMs(backoff.min) ?? 0) > (durationMs(backoff.max) ?? Infinity)
  const [min, max] = [JSON.stringify(backoff.min), JSON.stringify(backoff.max)]
  return [
    ...(Number.isInteger(tries) && tries >= 1 ? [] : [`retry.tries ${tries} must be a whole number from 1`]),
    ...wrong.map(
      ([name, duration]) =>
        `retry.backoff.${name} ${JSON.stringify(duration)} must be a duration such as '1s'`,
    ),
    ...(isTurned ? [`retry.backoff.min ${min} must not exceed max ${max}`] : []),
  ]
}

function triesOf({ retry }: AgentOptions): HandlerTries {
  if (retry === undefined) return once
  const { min, max } = retry.backoff
  return { count: retry.tries, backoff: { minMs: durationMs(min) ?? 0, maxMs: durationMs(max) ?? 0 } }
}

function circuitOf({ circuitBreaker }: AgentOptions): CircuitOptions | null {
  if (circuitBreaker === undefined) return null
  return { failures: circuitBreaker.failures, openForMs: durationMs(circuitBreaker.openFor) ?? 0 }
}

function operation(actor: string, action: string): Operation<unknown, unknown> {
  const call = (input: unknown): OperationCall<unknown> => ({
    actor,
    action,
    input: toTemplate(input, `input of ${actor}.${action}`),
  })
  return Object.assign(call, { actor, action })
}

/** Whether a value (an export of a user's module, say) is an agent. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && definition in value
}

/** Name and handlers of an agent. */
export function definitionOf(agent: Agent): AgentDefinition {
  return agent[definition]
}
