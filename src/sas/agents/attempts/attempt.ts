import type { Clock, Random } from '../../../platform/index.js'
import { retry, whenAborted, type ResolvedRetry } from '../../../platform/internal.js'
import type { AgentContext, AgentHandler } from '../agent.js'
import type { AgentLog } from '../agent-log.js'
import { AttemptRetry } from './attempt-retry.js'
import { AttemptTime } from './attempt-time.js'
import type { Json, StepDocument } from '../../model/documents.js'
import { PayloadDamaged, PayloadUnavailable } from '../../model/errors.js'
import { givenJson } from '../../model/values/plain-json.js'
import { maxPayloadBytes, noPayloads, type Payloads } from '../../payloads/payloads.js'
import type { Progress } from '../../model/readable-parts.js'
import { readProgress } from './progress.js'
import type { Outcome } from '../../decisions/settle.js'
import { concealerOf } from '../../plan/hide-documents.js'
import { generationAtHand, idempotencyKey as idempotencyKeyOf, workOf } from '../../model/work.js'

/** The largest size of an output, in bytes of JSON. The step must stay well under the store's 2 MB (I16). */
const maxOutputBytes = 1_000_000

/** The pauses between the tries of a request to the payload store. They end with the time of the attempt. */
const payloadRetry = { tries: Number.POSITIVE_INFINITY, backoff: { minMs: 100, maxMs: 2_000 } }

/** The error that `context.failPermanently` throws. */
class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure'
}

export interface AttemptOptions {
  readonly step: StepDocument
  readonly handler: AgentHandler<Json, unknown>
  /** The largest number of calls of the handler within the attempt, and the pauses between the calls. */
  readonly retrying: ResolvedRetry
  readonly clock: Clock
  readonly random: Random
  readonly log: AgentLog
  readonly readDocument: AgentContext['readDocument']
  /** Default: the process has no payload store. */
  readonly payloads?: Payloads | undefined
  /** Aborts when the host stops waiting for its handlers. */
  readonly stopping: AbortSignal
  /** Asks for more time. Returns the new deadline, or the reason why the attempt is over. */
  readonly extend: (asked: Asked) => Promise<number | { readonly over: string }>
}

/** A request for more time, perhaps with a report of progress. */
export interface Asked {
  readonly signal: AbortSignal
  readonly progress?: Progress
}

/**
 * Makes one attempt under the step's deadline. Returns null if the deadline passed or the host stopped before
 * the attempt ended. Then no outcome may be recorded, even if the handler returns later (R75).
 */
export async function makeAttempt(options: AttemptOptions): Promise<Outcome | null> {
  const { step, clock, stopping } = options
  if (stopping.aborted) return null
  const time = new AttemptTime(step, clock)
  const forgetStop = whenAborted(stopping, () => time.endSoon('the host stops'))
  try {
    if (time.isOver) return null
    return await time.unlessOver(withPayloads(options, time))
  } finally {
    time.close()
    forgetStop()
  }
}

/**
 * Loads the large parts of the input, calls the handler, and puts a large output into the payload store before
 * any document refers to it. If the store does not answer in the time of the attempt, the attempt fails.
 */
async function withPayloads(options: AttemptOptions, time: AttemptTime): Promise<Outcome | null> {
  const { step, payloads = noPayloads } = options
  const owner = { partitionKey: step.pk, jobId: step.jobId }
  const reached = <T>(request: () => Promise<T>): Promise<T> => {
    return retry(
      request,
      new AttemptRetry(options, time, payloadRetry, (error) => error instanceof PayloadUnavailable),
    )
  }
  try {
    const given = { input: workOf(step).input, previous: step.round?.previous ?? null }
    const { input, previous } =
      step.hasTickets === true
        ? ((await reached(() => payloads.load(owner, given, time.signal))) as typeof given)
        : given
    const hide = concealerOf(step, { input, previous })
    const context = contextOf(options, time, { previous, hide })
    const outcome = withoutSecrets(await run(options, { input, context }, time), hide)
    if (outcome?.kind !== 'success' || step.direction === 'undo' || !payloads.isLarge(outcome.output))
      return outcome
    const output = await reached(() => payloads.put(owner, outcome.output, time.signal))
    return { kind: 'success', output, hasTickets: true }
  } catch (error) {
    if (time.isOver) return null
    // Another attempt would find the same payload, so an operator must act. The handler was not called.
    if (error instanceof PayloadDamaged)
      return { kind: 'permanent', message: describe(error), didNothing: true }
    return { kind: 'failed', message: describe(error) }
  }
}

/** Hides the secrets of the input in the message of a failure, which is stored, logged and sent to people. */
function withoutSecrets(outcome: Outcome | null, hide: (text: string) => string): Outcome | null {
  if (outcome === null || outcome.kind === 'success') return outcome
  return { ...outcome, message: hide(outcome.message) }
}

function isNoPermanentFailure(error: unknown): boolean {
  return !(error instanceof PermanentFailure)
}

async function run(
  options: AttemptOptions,
  { input, context }: { readonly input: Json; readonly context: AgentContext },
  time: AttemptTime,
): Promise<Outcome | null> {
  const { step, handler, retrying, payloads = noPayloads } = options
  let calls = 0
  const call = async (): Promise<unknown> => {
    calls += 1
    // The other roles of the process see the same document, and a later try must get the same input.
    return handler(structuredClone(input), context)
  }
  try {
    const output = await retry(call, new AttemptRetry(options, time, retrying, isNoPermanentFailure))
    // If the time was over while the handler was running, its success no longer counts.
    return time.isOver ? null : successWith(output, step.direction === 'do' ? payloads : null)
  } catch (error) {
    if (time.isOver) return null
    // A permanent failure of the first call proves that nothing was done. After a later call this is unknown,
    // because an earlier call may have taken effect although its answer was lost.
    if (error instanceof PermanentFailure)
      return { kind: 'permanent', message: error.message, didNothing: calls === 1 }
    return { kind: 'failed', message: describe(error) }
  }
}

function successWith(output: unknown, payloads: Payloads | null): Outcome {
  const given = givenJson(output, 'output')
  if (given.kind === 'refused') {
    return { kind: 'permanent', message: `the output cannot be recorded: ${given.reason}` }
  }
  const bytes = Buffer.byteLength(given.text)
  const limitBytes = payloads?.isLarge(given.json) === true ? maxPayloadBytes : maxOutputBytes
  if (bytes <= limitBytes) return { kind: 'success', output: given.json }
  const advice = limitBytes === maxOutputBytes ? ', or give hosts and clients the option payloads' : ''
  const message =
    `the output has ${bytes} bytes; the limit is ${limitBytes}: store the output elsewhere ` +
    `and return its address${advice}`
  return { kind: 'permanent', message }
}

function contextOf(
  { step, log, readDocument, extend }: AttemptOptions,
  time: AttemptTime,
  { previous, hide }: { readonly previous: Json; readonly hide: (text: string) => string },
): AgentContext {
  const { jobId, orderId, stepId, attempt, idempotencyKey } = step
  const goOn = async (asked: Omit<Asked, 'signal'>): Promise<void> => {
    time.throwIfOver()
    const answer = await extend({ signal: time.signal, ...asked })
    if (typeof answer === 'number') time.runUntil(answer)
    else time.end(answer.over)
    time.throwIfOver()
  }
  return {
    jobId,
    orderId,
    stepId,
    attempt,
    idempotencyKey,
    undoes: step.direction === 'undo' ? idempotencyKeyOf(step, generationAtHand(step), 'do') : null,
    round: step.round?.number ?? 1,
    previous: structuredClone(previous),
    get deadline() {
      return new Date(time.deadlineMs)
    },
    get signal() {
      return time.signal
    },
    readDocument,
    log,
    extend: () => goOn({}),
    progress: async (report) => goOn({ progress: withoutSecretNote(readProgress(report), hide) }),
    failPermanently: (error) => {
      throw new PermanentFailure(describe(error), { cause: error })
    },
  }
}

function withoutSecretNote(progress: Progress, hide: (text: string) => string): Progress {
  return progress.note === undefined ? progress : { ...progress, note: hide(progress.note) }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return textOf(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.message}${cause}`
}

/** Returns the text of a thrown value, or a fixed text if the value cannot be converted to text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return 'a failure that cannot be described'
  }
}
