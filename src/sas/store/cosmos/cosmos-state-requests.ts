import type { Container, SqlParameter } from '@azure/cosmos'
import type { RetryPause } from '../../../../lease-store/internal.js'
import { withoutUndefined } from '../../../platform/internal.js'
import { rowsPerPage } from '../state-store.js'
import { storeError } from './cosmos-store-error.js'

/** The container of jobs and steps, and a callback for charges. */
export interface CosmosStateStoreOptions {
  /** The container, partitioned by `/pk`, with `defaultTtl` -1. */
  readonly container: Container
  readonly onCharge?: (operation: string, charge: number) => void
  /** Pauses before another try of a request that the store answered with status 449. Default: some milliseconds. */
  readonly retryPause?: RetryPause
}

/** A query with its parameters. Undefined parameters are left out. */
export interface Question {
  readonly text: string
  readonly parameters: Readonly<Record<string, string | number | undefined>>
  /** The only partition to query. Default: all partitions. */
  readonly partition?: string
}

/** Makes requests to the state container, reports their charges and translates their errors. */
export class CosmosStateRequests {
  readonly container: Container

  constructor(private readonly options: CosmosStateStoreOptions) {
    this.container = options.container
  }

  async query<T>(operation: string, query: Question): Promise<T[]> {
    const parameters = Object.entries(query.parameters).flatMap(([name, value]): SqlParameter[] =>
      value === undefined ? [] : [{ name: `@${name}`, value }],
    )
    const { partition } = query
    // By default, the SDK asks for the rows of an ordered query ten at a time.
    const options = { maxItemCount: rowsPerPage, ...withoutUndefined({ partitionKey: partition }) }
    return this.asking(operation, async () => {
      const iterator = this.container.items.query<T>({ query: query.text, parameters }, options)
      const { resources, requestCharge } = await iterator.fetchAll()
      this.charge(operation, requestCharge)
      return resources
    })
  }

  /** @throws StoreUnavailable or StoreRefused if the request fails */
  async asking<T>(operation: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request()
    } catch (error) {
      throw storeError(operation, error)
    }
  }

  charge(operation: string, charge: number): void {
    this.options.onCharge?.(operation, charge)
  }
}
