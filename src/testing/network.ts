import type { VirtualClock } from '../platform/index.js'
import type { SimulatedProcess } from './simulated-process.js'

/** A call of a port method that travels to the store. */
export interface Request {
  readonly process: SimulatedProcess
  readonly method: string
  readonly args: readonly unknown[]
  /** The write point of the failure matrix (L2, W3 and so on), or null for a read. */
  readonly writePoint: string | null
  /** The part of the process that made the request: a role, a client, a unit of the processor. */
  readonly party: string
  /** The time of the process when it sent the request. */
  readonly sentAtMs: number
}

/** The fate of a request. Delays are those of the network, in true time. */
export interface Fate {
  readonly delayMs: number
  readonly answerDelayMs: number
  readonly kind:
    | 'answered'
    /** The store does nothing and reports that. */
    | 'refused'
    /** The store carries it out, and the answer is lost. */
    | 'answerLost'
    /** The request is lost before it reaches the store. */
    | 'requestLost'
    /** A stale replica answers the read. */
    | 'stale'
    | 'crashBefore'
    | 'crashAfter'
    /** Another writer changes the same document just before. */
    | 'rival'
  /** The error of the date of the answer, in milliseconds. Default 0. */
  readonly dateErrorMs?: number
  /** The error for a caller whose request is refused or gets no answer. */
  readonly error: Error
}

/** How calls of a port become requests, and how faults look to the caller, as with the real adapter. */
export interface Wiring {
  readonly party: string
  readonly writePointOf: (method: string, args: readonly unknown[]) => string | null
  /** Returns the result of a lost request or answer: a value or a rejection. */
  readonly lost: (method: string, cause: Error) => Promise<unknown>
  /** Returns the result of a refused request. Default: a rejection with the cause. */
  readonly refused?: (method: string, cause: Error) => Promise<unknown>
  /** Writes the same document just before this request, as another writer. Default: no such write. */
  readonly rival?: (request: Request, act: () => Promise<unknown>) => Promise<unknown>
  /** Receives the answer of the newest replica, before the caller does. */
  readonly answered?: (request: Request, answer: unknown) => void
  /** Returns the answer of a stale replica, given that of the newest one. */
  readonly stale: (request: Request, answer: unknown) => unknown
}

/** Options that connect the network to its simulation. */
export interface NetworkOptions {
  readonly time: VirtualClock
  readonly fateOf: (request: Request) => Fate
  /** Runs `act`, in which the store acts. Every write during `act` belongs to this request. */
  readonly acting: (request: Request, act: () => Promise<unknown>) => Promise<unknown>
}

interface Call {
  readonly request: Request
  readonly wiring: Wiring
  readonly act: () => Promise<unknown>
}

/**
 * Connects processes to the store. Each call becomes a request that takes time and may be lost, refused or
 * answered late. A paused process gets its answers when it resumes. A crashed process never gets them.
 */
export class Network {
  constructor(private readonly options: NetworkOptions) {}

  /** Returns the port as one process sees it. */
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
    // Only an answer contains the time: that of the store when it acted, in whole seconds.
    const isAnswered = fate.kind !== 'answerLost' && fate.kind !== 'requestLost'
    const storeMs = isAnswered ? wholeSecond(this.options.time.now() + (fate.dateErrorMs ?? 0)) : null
    await this.travel(fate.answerDelayMs)
    return arrived(process, () => {
      told?.(storeMs)
      return answer()
    })
  }

  /**
   * Pauses the process before it sends a decided request. Resolves to whether the process still runs
   * afterwards.
   */
  private async standStill(process: SimulatedProcess, ms: number): Promise<boolean> {
    process.pause()
    await this.options.time.sleep(ms)
    process.resume()
    return !process.isCrashed
  }

  /**
   * Carries out the request. Returns what the caller will find when the answer arrives, which may be never.
   */
  private async outcome({ request, wiring, act }: Call, fate: Fate): Promise<() => Promise<unknown>> {
    if (fate.kind === 'refused') {
      const refused = wiring.refused ?? ((_method, cause) => Promise.reject(cause))
      return () => refused(request.method, fate.error)
    }
    if (fate.kind === 'requestLost') return () => wiring.lost(request.method, fate.error)
    try {
      // Checkers see no process behind this write. It stands for an operator or a second submitter.
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
