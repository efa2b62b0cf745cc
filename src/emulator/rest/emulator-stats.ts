import type { CosmosEngine } from '../engine/index.js'
import { header } from '../messages/rest-message.js'
import type { Routes } from './routes.js'

/** Counts of the requests to an emulator so far, and of its contents. */
export interface EmulatorStats {
  /** The number of REST requests, including the requests whose answers a fault withheld. */
  readonly requests: number
  /** The number of requests that a fault affected. */
  readonly faults: number
  /** The number of requests that the account itself refused, with a status of 400 or above. */
  readonly refusals: number
  /** The request units of all work that was carried out, according to the emulator's model. */
  readonly charge: number
  readonly databases: number
  readonly containers: number
  readonly documents: number
}

export class RequestCounter {
  private requests = 0
  private faults = 0
  private refusals = 0
  private charge = 0

  /** Returns routes that also count their requests. */
  counting(routes: Routes): Routes {
    return (request, mayWait) => {
      const response = routes(request, mayWait)
      this.requests += 1
      if (response.status >= 400) this.refusals += 1
      this.charge += Number(response.headers[header.charge] ?? 0)
      return response
    }
  }

  /** Counts a request that a fault affected. The routes count the request itself, if it is carried out. */
  countFault(outcome: 'applied' | 'notApplied'): void {
    this.faults += 1
    if (outcome === 'notApplied') this.requests += 1
  }

  stats(engine: CosmosEngine): EmulatorStats {
    const containers = engine.databases.flatMap((database) => database.containers)
    return {
      requests: this.requests,
      faults: this.faults,
      refusals: this.refusals,
      charge: Math.round(this.charge * 100) / 100,
      databases: engine.databases.length,
      containers: containers.length,
      documents: containers.reduce((count, container) => count + container.documentCount, 0),
    }
  }
}
