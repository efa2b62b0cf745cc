import type { VirtualClock } from '../platform/index.js'
import type { SimulatedProcess } from './simulated-process.js'

/** One call of a port's method, on its way to the store. */
export interface Request {
  readonly process: SimulatedProcess
  readonly method: string
  readonly args: readonly unknown[]
  /** The write point of the failure matrix (L2, W3 and so on), or null for a read. */
  readonly writePoint: string | null
  /** Which part of the process made it: a role, a client, a unit of the processor. */
  readonly party: string
  /** What the process took for the time when it sent it. */
  readonly sentAtMs: number
}

/** What becomes of a request. Delays are those of the network, in true time. */
export interface Fate {
  readonly delayMs: number
  readonly answerDelayMs: number
  readonly kind:
    | 'answered'
    /** The store does nothing and says so. */
    | 'refused'
    /** The store does it, and the answer is lost. */
    | 'answerLost'
    /** It is lost before it reaches the store. */
    | 'requestLost'
    /** A read that another replica answers, which is behind. */
    | 'stale'
    | 'crashBefore'
    | 'crashAfter'
    /** Another process writes the same document just before. */
    | 'rival'
  /** How wrong the date of the answer is. Default: it is right. */
  readonly dateErrorMs?: number
  /** The error for a caller that is refused, or gets no answer. */
  readonly error: Error
}

/** How calls of a port become requests, and how what goes wrong looks to the caller, as the real adapter makes it look. */
export interface Wiring {
  readonly party: string
  readonly writePointOf: (method: string, args: readonly unknown[]) => string | null
  /** What a caller whose request or answer was lost gets: a value, or a rejection. */
  readonly lost: (method: string, cause: Error) => Promise<unknown>
  /** What a caller who was refused gets. Default: a rejection with the cause. */
  readonly refused?: (method: string, cause: Error) => Promise<unknown>
  /** Writes what this request is about, in somebody else's name, just before it. Default: nobody does. */
  readonly rival?: (request: Request, act: () => Promise<unknown>) => Promise<unknown>
  /** Learns what a caller is about to be told by the newest replica. */
  readonly answered?: (request: Request, answer: unknown) => void
  /** What a replica that is behind says, given what the newest one says. */
  readonly stale: (request: Request, answer: unknown) => unknown
}

/** What the network asks and tells whoever runs the simulation. */
export interface NetworkOptions {
  readonly time: VirtualClock
  readonly fateOf: (request: Request) => Fate
  /** Runs `act`, the moment in which the store acts: everything it stores meanwhile is this request's work. */
  readonly acting: (request: Request, act: () => Promise<unknown>) => Promise<unknown>
}

interface Call {
  readonly request: Request
  readonly wiring: Wiring
  readonly act: () => Promise<unknown>
}

/**
 * Between processes and the store: each call becomes a request that takes its time, and may be lost, refused or answered
 * late. A process that is paused gets its answers when it goes on; one that has crashed never does.
 */
export class Network {
  constructor(private readonly options: NetworkOptions) {}

  /** The port as one process sees it. */
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
    // Only an answer contains the time: the store's when it acted, in whole seconds.
    const isAnswered = fate.kind !== 'answerLost' && fate.kind !== 'requestLost'
    const storeMs = isAnswered ? wholeSecond(this.options.time.now() + (fate.dateErrorMs ?? 0)) : null
    await this.travel(fate.answerDelayMs)
    return arrived(process, () => {
      told?.(storeMs)
      return answer()
    })
  }

  /** Pauses the process, so its decided request is not sent yet. Resolves to whether it is still there afterwards. */
  private async standStill(process: SimulatedProcess, ms: number): Promise<boolean> {
    process.pause()
    await this.options.time.sleep(ms)
    process.resume()
    return !process.isCrashed
  }

  /** What the caller will find when the answer arrives, which may be never. */
  private async outcome({ request, wiring, act }: Call, fate: Fate): Promise<() => Promise<unknown>> {
    if (fate.kind === 'refused') {
      const refused = wiring.refused ?? ((_method, cause) => Promise.reject(cause))
      return () => refused(request.method, fate.error)
    }
    if (fate.kind === 'requestLost') return () => wiring.lost(request.method, fate.error)
    try {
      // Of nobody's doing, as far as the checkers are concerned: an operator's hand, a second submitter.
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
