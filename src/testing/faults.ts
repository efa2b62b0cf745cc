import type { Random } from '../platform/index.js'
import { storeError } from './store-error.js'
import type { Fate, Request } from './network.js'

/** The probability of each fault of a request. */
export interface FaultRates {
  readonly refused: number
  readonly requestLost: number
  readonly answerLost: number
  /** This fault applies only to reads. */
  readonly stale: number
  /** `crashBefore` and `crashAfter` apply only to writes. */
  readonly crashBefore: number
  readonly crashAfter: number
  /** The request takes up to a minute in each direction, whatever its outcome. */
  readonly slow: number
  /** The date of the answer is wrong by up to ten minutes. */
  readonly wrongDate: number
}

/** A fault of one write. `occurrence` counts the writes of a write point over all processes, from 1. */
export interface PlannedFault {
  readonly writePoint: string
  readonly occurrence: number
  readonly kind: Fate['kind']
}

/** The fate that a test chooses for a request. The default `error` is a temporary error. */
export interface ScriptedFault {
  readonly kind: Fate['kind']
  readonly error?: Error
  /** The travel time of the request to the store, in milliseconds. Default: random, as for any request. */
  readonly delayMs?: number
}

export interface FaultOptions {
  readonly random: Random
  readonly rates?: FaultRates
  readonly planned?: readonly PlannedFault[]
  /** A list to which every requested write is added. */
  readonly seen?: Pick<PlannedFault, 'writePoint' | 'occurrence'>[]
  /** Returns the fate that a test chooses for a request, or null to let the other options decide. */
  readonly scripted?: (request: Request) => ScriptedFault | null
  /** The longest travel time of a request in one direction, in milliseconds. Default 20. */
  readonly latencyMs?: number
}

/** Rates that are high enough to cause every kind of fault, but low enough that some work is still done. */
export const harsh: FaultRates = {
  refused: 0.04,
  requestLost: 0.02,
  answerLost: 0.02,
  stale: 0.05,
  crashBefore: 0.002,
  crashAfter: 0.002,
  slow: 0.005,
  wrongDate: 0.002,
}

const [slowestMs, mostWrongDateMs] = [60_000, 600_000] as const

/** Decides the fate of each request. After `stop` is called, only planned faults occur. */
export class Faults {
  private readonly seen = new Map<string, number>()
  isOver = false
  /** The number of requests, by the fault that they had. */
  readonly counts = new Map<string, number>()

  constructor(private readonly options: FaultOptions) {}

  stop(): void {
    this.isOver = true
  }

  fateOf(request: Request): Fate {
    const { random, latencyMs = 20 } = this.options
    const scripted = this.scripted(request)
    const kind = scripted?.kind ?? this.planned(request) ?? this.chosen(request)
    const isSlow = !this.isOver && random.next() < (this.options.rates?.slow ?? 0)
    const longestMs = isSlow ? slowestMs : latencyMs
    const error = scripted?.error ?? errorOf(kind, request, random)
    if (kind !== 'answered') {
      const name = `${kind} ${request.writePoint ?? request.method}`
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    }
    const [delayMs, answerDelayMs] = [random.next() * longestMs, random.next() * longestMs]
    const dateErrorMs = this.dateErrorMs()
    return { kind, delayMs: scripted?.delayMs ?? delayMs, answerDelayMs, dateErrorMs, error }
  }

  private dateErrorMs(): number {
    const { random, rates } = this.options
    if (this.isOver || rates === undefined || random.next() >= rates.wrongDate) return 0
    return Math.round((random.next() * 2 - 1) * mostWrongDateMs)
  }

  private scripted(request: Request): ScriptedFault | null {
    return this.isOver ? null : (this.options.scripted?.(request) ?? null)
  }

  private planned({ writePoint }: Request): Fate['kind'] | null {
    const { planned = [], seen } = this.options
    if (writePoint === null) return null
    const occurrence = (this.seen.get(writePoint) ?? 0) + 1
    this.seen.set(writePoint, occurrence)
    seen?.push({ writePoint, occurrence })
    const fault = planned.find(
      (candidate) => candidate.writePoint === writePoint && candidate.occurrence === occurrence,
    )
    return fault?.kind ?? null
  }

  private chosen({ writePoint }: Request): Fate['kind'] {
    const { rates, random } = this.options
    if (this.isOver || rates === undefined) return 'answered'
    const kinds = ['refused', 'requestLost', 'answerLost'] as const
    const own = writePoint === null ? (['stale'] as const) : (['crashBefore', 'crashAfter'] as const)
    let chance = random.next()
    for (const kind of [...kinds, ...own]) {
      chance -= rates[kind]
      if (chance < 0) return kind
    }
    return 'answered'
  }
}

/**
 * The shared error in the fates of answered requests. It is never used, and creating one for each request
 * would be slow.
 */
const noError = storeError('none')

function errorOf(kind: Fate['kind'], request: Request, random: Random): Error {
  if (kind === 'answered') return noError
  return kind === 'refused' ? refusal(request, random) : loss(random)
}

/** Returns the error of a temporary refusal, after which the caller knows that nothing was done. */
function refusal({ writePoint }: Request, random: Random): Error {
  const choice = random.next()
  if (choice < 0.6) return storeError(429, { retryAfterInMs: Math.round(random.next() * 5_000) })
  if (choice < 0.8 || writePoint !== null) return storeError(449)
  return storeError(404, { substatus: 1002 })
}

/** Returns an error after which it is unknown whether a write was applied. */
function loss(random: Random): Error {
  const codes = ['ECONNRESET', 'TimeoutError', 503] as const
  return storeError(codes[Math.floor(random.next() * codes.length)] ?? 503)
}
