import type { CosmosEngine } from '../engine/index.js'
import { header, type RestResponse } from '../messages/rest-message.js'
import type { Routes } from './routes.js'

/** What an emulator has been asked and what it holds. */
export interface EmulatorStats {
  /** Requests over REST, those whose answer a fault withheld included. */
  readonly requests: number
  /** Of these, how many met a fault. */
  readonly faults: number
  /** Of these, how many the account itself refused, with a status of 400 and above. */
  readonly refusals: number
  /** Request units of all that was carried out, by the emulator's model. */
  readonly charge: number
  readonly databases: number
  readonly containers: number
  readonly documents: number
}

/** Counts what passes through the routes. */
export class RequestCounter {
  private requests = 0
  private faults = 0
  private refusals = 0
  private charge = 0

  /** The routes, counted. */
  counting(routes: Routes): Routes {
    return (request) => {
      const response = routes(request)
      this.count(response)
      return response
    }
  }

  /** A request that met a fault; one that was carried out all the same is counted as every other, too. */
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

  private count({ status, headers }: RestResponse): void {
    this.requests += 1
    if (status >= 400) this.refusals += 1
    this.charge += Number(headers[header.charge] ?? 0)
  }
}
