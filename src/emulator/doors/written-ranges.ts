import type { CosmosEngine } from '../engine/index.js'
import type { RestRequest, RestResponse } from '../messages/rest-message.js'

/** The path at which attached processes learn of writes. */
export const writesPath = '/_writes'

/** The answer to a request for writes. */
export interface WrittenRanges {
  /** The number to send with the next request. */
  readonly at: number
  /** The physical partitions that were written since. Null if the request had no valid number. */
  readonly written: readonly string[] | null
}

/**
 * Answers long requests for the physical partitions of a container that were written. A request waits until
 * there is a write after the one that the request names, so no write between two requests is missed. A write
 * may be reported before it is durable, but each read waits until it is.
 *
 * States: open → closed. `close` answers all waiting requests.
 */
export class WrittenRangesAnswers {
  private at = 0
  private isClosed = false
  /** The number of the last write to each physical partition, by the container's resource id. */
  private readonly lastWrites = new Map<string, Map<string, number>>()
  private readonly waiting = new Map<string, Set<() => void>>()
  private readonly end: () => void

  constructor(private readonly engine: CosmosEngine) {
    this.end = engine.writes.subscribe((containerRid, rangeId) => {
      this.at += 1
      const ranges = this.lastWrites.get(containerRid) ?? new Map<string, number>()
      this.lastWrites.set(containerRid, ranges.set(rangeId, this.at))
      this.wake(containerRid)
    })
  }

  /** Returns the answer, or null if the request is not for writes. */
  respond(request: RestRequest): Promise<RestResponse> | null {
    const [path, query = ''] = request.path.split('?')
    return path === writesPath ? this.answer(new URLSearchParams(query)) : null
  }

  close(): void {
    this.isClosed = true
    this.end()
    for (const containerRid of this.waiting.keys()) this.wake(containerRid)
  }

  private async answer(query: URLSearchParams): Promise<RestResponse> {
    const { rid } = this.engine.container(query.get('database') ?? '', query.get('container') ?? '')
    const given = query.get('after')
    const after = given === null ? NaN : Number(given)
    // Another process may have opened the account since the last request, and its numbers begin at 0.
    if (!(after <= this.at)) return json({ at: this.at, written: null })
    if (this.since(rid, after).length === 0 && !this.isClosed) await this.nextWrite(rid)
    return json({ at: this.at, written: this.since(rid, after) })
  }

  private since(containerRid: string, after: number): readonly string[] {
    const ranges = [...(this.lastWrites.get(containerRid) ?? [])]
    return ranges.filter(([, at]) => at > after).map(([rangeId]) => rangeId)
  }

  private nextWrite(containerRid: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.waiting.get(containerRid) ?? new Set()
      this.waiting.set(containerRid, waiting.add(resolve))
    })
  }

  private wake(containerRid: string): void {
    const waiting = this.waiting.get(containerRid)
    if (waiting === undefined) return
    this.waiting.delete(containerRid)
    for (const resolve of waiting) resolve()
  }
}

function json(answer: WrittenRanges): RestResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) }
}
