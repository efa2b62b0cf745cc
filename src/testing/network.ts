import type { VirtualClock } from '../platform/index.js'
import type { SimulatedProcess } from './simulated-process.js'

/** A call of a store method, which travels to the store. */
export interface Request {
  readonly process: SimulatedProcess
  readonly method: string
  readonly args: readonly unknown[]
  /** The write point of the failure matrix (L2, W3 and so on), or null for a read. */
  readonly writePoint: string | null
  /** The part of the process that made the request: a role, a client, or a unit of the processor. */
  readonly party: string
  /** The time when the request was sent, by the clock of the process. */
  readonly sentAtMs: number
}

/** The fate of a request. The delays are network delays in milliseconds of true time. */
export interface Fate {
  readonly delayMs: number
  readonly answerDelayMs: number
  readonly kind:
    | 'answered'
    /** The store does nothing, and reports this to the caller. */
    | 'refused'
    /** The store carries out the request, and the answer is lost. */
    | 'answerLost'
    /** The request is lost before it reaches the store. */
    | 'requestLost'
    /** A stale replica answers the read. */
    | 'stale'
    | 'crashBefore'
    | 'crashAfter'
    /** Another writer changes the same document just before this request. */
    | 'rival'
  /** The amount by which the date of the answer is wrong, in milliseconds. Default 0. */
  readonly dateErrorMs?: number
  /** The error that the caller gets if the request is refused or gets no answer. */
  readonly error: Error
}

/**
 * Defines how calls of a store's methods become requests, and which results the caller gets if there is a
 * fault. The real adapter gives the same results.
 */
export interface Wiring {
  readonly party: string
  readonly writePointOf: (method: string, args: readonly unknown[]) => string | null
  /** Returns the result that the caller gets if the request or the answer is lost: a value or a rejection. */
  readonly lost: (method: string, cause: Error) => Promise<unknown>
  /**
   * Returns the result that the caller gets if the request is refused. Default: a rejection with the cause.
   */
  readonly refused?: (method: string, cause: Error) => Promise<unknown>
  /** Writes the same document just before this request, as another writer would. Default: no such write. */
  readonly rival?: (request: Request, act: () => Promise<unknown>) => Promise<unknown>
  /** Receives the answer of the newest replica before the caller gets an answer. */
  readonly answered?: (request: Request, answer: unknown) => void
  /** Returns the answer of a stale replica, computed from the answer of the newest replica. */
  readonly stale: (request: Request, answer: unknown) => unknown
}

export interface NetworkOptions {
  readonly time: VirtualClock
  readonly fateOf: (request: Request) => Fate
  /**
   * Runs `act`, which carries out the request in the store. Every write during `act` belongs to this request.
   */
  readonly acting: (request: Request, act: () => Promise<unknown>) => Promise<unknown>
}

interface Call {
  readonly request: Request
  readonly wiring: Wiring
  readonly act: () => Promise<unknown>
}

/**
 * Connects processes to the store. Each call becomes a request that takes time and may be lost, refused or
 * answered late. A paused process gets its answers when it resumes. A crashed process gets no more answers.
 */
export class Network {
  constructor(private readonly options: NetworkOptions) {}

  /**
   * Returns an object with the methods of `port`. Each call of a method becomes a request of this process.
   */
  connect<P extends object>(port: P, process: SimulatedProcess, wiring: Wiring): P {
    return new Proxy(port, {
      get: (target, method): unknown => {
        const member: unknown = Reflect.get(target, method, target)
        if (typeof member !== 'function' || typeof method !== 'string') return member
        return (...args: unknown[]): Promise<unknown> => {
          const act = async (): Promise<unknown> => Reflect.apply(member, target, args) as unknown
          const writePoint = wiring.writePointOf(method, args)
          const sentAtMs = process.clock.now()
          const { party } = wiring
          return this.send({ request: { process, method, args, writePoint, party, sentAtMs }, wiring, act })
        }
      },
    })
  }

  private async send(call: Call): Promise<unknown> {
    const { process } = call.request
    if (process.isCrashed) return never()
    const fate = this.options.fateOf(call.request)
    if (fate.kind === 'crashBefore') {
      process.crash()
      return never()
    }
    const stallMs = process.takeStall()
    if (stallMs > 0) {
      const isThere = await this.standStill(process, stallMs)
      if (!isThere) return never()
    }
    const told = process.sent()
    await this.travel(fate.delayMs)
    const answer = await this.outcome(call, fate)
    // Only an answer contains a time: the store's time when it acted, in whole seconds.
    const isAnswered = fate.kind !== 'answerLost' && fate.kind !== 'requestLost'
    const storeMs = isAnswered ? wholeSecond(this.options.time.now() + (fate.dateErrorMs ?? 0)) : null
    await this.travel(fate.answerDelayMs)
    return arrived(process, () => {
      told?.(storeMs)
      return answer()
    })
  }

  /**
   * Pauses the process after it has decided to make a request, and before it sends the request. Resolves to
   * false if the process has crashed by the end of the pause.
   */
  private async standStill(process: SimulatedProcess, ms: number): Promise<boolean> {
    process.pause()
    await this.options.time.sleep(ms)
    process.resume()
    return !process.isCrashed
  }

  /**
   * Carries out the request, unless it is refused or lost. Returns a function that gives the caller's result
   * when the answer arrives.
   */
  private async outcome({ request, wiring, act }: Call, fate: Fate): Promise<() => Promise<unknown>> {
    if (fate.kind === 'refused') {
      const refused = wiring.refused ?? ((_method, cause) => Promise.reject(cause))
      return () => refused(request.method, fate.error)
    }
    if (fate.kind === 'requestLost') return () => wiring.lost(request.method, fate.error)
    try {
      // The write represents an operator or a second submitter, so checkers must not see this process as its
      // writer.
      if (fate.kind === 'rival') await wiring.rival?.(request, act)
      const answer = await this.options.acting(request, act)
      wiring.answered?.(request, answer)
      if (fate.kind === 'answerLost') return () => wiring.lost(request.method, fate.error)
      const seen = fate.kind === 'stale' ? wiring.stale(request, answer) : answer
      return () => Promise.resolve(seen)
    } catch (error) {
      return () => Promise.reject(error instanceof Error ? error : new Error(String(error)))
    } finally {
      if (fate.kind === 'crashAfter') request.process.crash()
    }
  }

  private travel(ms: number): Promise<void> | undefined {
    return ms === 0 ? undefined : this.options.time.sleep(ms)
  }
}

function arrived(process: SimulatedProcess, answer: () => Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    process.run(() => {
      resolve(answer())
    })
  })
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}
