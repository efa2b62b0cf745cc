import { setMaxListeners } from 'node:events'
import { seededRandom, type Clock, type Random } from '../../platform/index.js'
import { header, isSet, type RestRequest, type RestResponse } from '../messages/rest-message.js'
import { ConnectionReset } from './connection-reset.js'
import type { Fault, FaultOptions, Faults } from './fault.js'
import { fits, type RequestMatched } from './fault-match.js'
import { readFault } from './fault-problems.js'
import { requestMatched } from './request-matched.js'

export interface FaultInjectionOptions {
  readonly clock: Clock
  /** The random numbers for faults without a seed. */
  readonly random: Random
  readonly errorResponse: (status: number, message: string) => RestResponse
  /** Called for every request that a fault affects. */
  readonly onFault: (outcome: 'applied' | 'notApplied') => void
}

interface Standing extends Fault {
  fired: number
  readonly random: Random
  readonly values: ReturnType<typeof readFault>['values']
}

/** The defaults for a throttled request, as in the service's answer. */
const throttling = { status: 429, substatus: 3200, retryAfter: 10 } as const

/**
 * The path of the admin routes. Faults do not affect this path, because a fault must not prevent its own
 * removal. Faults also do not affect the data explorer, so the explorer works while faults are active.
 */
const adminPath = /^\/*_stepward(\/|$)/u

/** The faults of one account. Every request passes through them. */
export class FaultInjection implements Faults {
  private standing: readonly Standing[] = []
  private lastId = 0
  private delays = newDelays()

  constructor(private readonly options: FaultInjectionOptions) {}

  add(options: FaultOptions): Fault {
    const { values, problems } = readFault(options)
    if (problems.length > 0) throw new RangeError(`The fault cannot be added: ${problems.join('; ')}.`)
    this.lastId += 1
    const random = options.seed === undefined ? this.options.random : seededRandom(options.seed)
    const fault: Standing = { id: String(this.lastId), options: { ...options }, values, fired: 0, random }
    this.standing = [...this.standing, fault]
    return fault
  }

  remove(fault: Fault | string): void {
    const id = typeof fault === 'string' ? fault : fault.id
    this.standing = this.standing.filter((other) => other.id !== id)
  }

  clear(): void {
    this.standing = []
    this.delays.abort()
    this.delays = newDelays()
  }

  list(): readonly Fault[] {
    return this.standing
  }

  /**
   * Answers a request, and applies the first fault that matches it, if any. `apply` carries out the request.
   */
  async respond(request: RestRequest, apply: () => Promise<RestResponse>): Promise<RestResponse> {
    const fault = this.standing.length === 0 ? undefined : this.draw(request)
    if (fault === undefined) return apply()
    const { delay: delayMs, afterApply, reset, status } = fault.values
    const isApplied = afterApply || (status === undefined && !reset)
    this.options.onFault(isApplied ? 'applied' : 'notApplied')
    const lost = afterApply ? await apply() : null
    if (delayMs > 0) await this.options.clock.sleep(delayMs, this.delays.signal)
    if (reset) throw new ConnectionReset()
    if (status === undefined) return lost ?? apply()
    return this.failed(fault, status, lost)
  }

  private draw(request: RestRequest): Standing | undefined {
    if (adminPath.test(request.path) || isSet(request, header.explorer)) return undefined
    const seen = requestMatched(request)
    const fault = this.standing.find((one) => meets(one, seen))
    if (fault !== undefined) fault.fired += 1
    return fault
  }

  /** Returns the error answer, with the charge and activity id of a request that was carried out. */
  private failed({ id, values }: Standing, status: number, lost: RestResponse | null): RestResponse {
    const defaults = status === throttling.status ? throttling : { substatus: 0, retryAfter: undefined }
    const { substatus = defaults.substatus, retryAfter = defaults.retryAfter } = values
    const outcome = lost === null ? 'The request was not carried out' : 'The request was carried out'
    const { body, headers } = this.options.errorResponse(
      status,
      `Status ${status} by fault ${id} of the embedded Cosmos DB. ${outcome}.`,
    )
    return {
      status,
      body,
      headers: {
        ...headers,
        date: new Date(this.options.clock.now()).toUTCString(),
        [header.activityId]: lost?.headers[header.activityId] ?? this.options.random.id(),
        [header.charge]: lost?.headers[header.charge] ?? '0',
        [header.substatus]: String(substatus),
        ...(retryAfter === undefined ? {} : { [header.retryAfterMs]: String(retryAfter) }),
      },
    }
  }
}

/** Creates the signal that ends delays. It allows listeners from any number of delayed requests. */
function newDelays(): AbortController {
  const delays = new AbortController()
  setMaxListeners(0, delays.signal)
  return delays
}

function meets({ options, fired, random }: Standing, request: RequestMatched): boolean {
  const { match, times = Infinity, probability = 1 } = options
  if (fired >= times) return false
  if (typeof match === 'function' ? !match(request) : match !== undefined && !fits(match, request))
    return false
  return probability === 1 || random.next() < probability
}
