import { StoreRefused, StoreUnavailable } from '../sas/model/errors.js'
import { rowsPerPage, type DocumentAddress } from '../sas/store/state-store.js'
import {
  listCharge,
  queryCharge,
  Refusal,
  scan,
  type Container,
  type DocumentVersion,
  type JsonObject,
  type ScanScope,
} from '../emulator/engine/index.js'
import type { WrittenVersions } from './written-versions.js'
import { StandingDocuments, type Standing } from './standing-documents.js'

/** `settled` waits until results may be returned. */
export interface EngineStateStoreOptions {
  readonly container: () => Container
  readonly settled: () => Promise<void> | null
  readonly onCharge: OnCharge
  /** Makes a synchronous write, of which the caller needs no notice. */
  readonly writing: <T>(write: () => T) => T
  /** Keeps the versions that this process has written. Default: they are not kept. */
  readonly written?: WrittenVersions
}

/** Receives the operation and the request units of a call. */
export type OnCharge = (operation: string, charge: number) => void

/** The documents of a state container on the engine. */
export class EngineDocuments {
  constructor(private readonly options: EngineStateStoreOptions) {}

  /** @throws StoreRefused if the container is missing */
  container(): Container {
    try {
      return this.options.container()
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      throw new StoreRefused(cause.message, { cause })
    }
  }

  /** Waits for the disk, because the store may return only data that is on disk. */
  async settled(): Promise<void> {
    try {
      await this.options.settled()
    } catch (cause) {
      throw new StoreUnavailable('the embedded Cosmos DB cannot write its data directory', { cause })
    }
  }

  /** Returns the documents that `isWanted` accepts, by default from any partition and without a limit. */
  async find(
    isWanted: (document: Readonly<JsonObject>) => boolean,
    { partition, limit = Infinity }: { readonly partition?: string; readonly limit?: number } = {},
  ): Promise<readonly DocumentVersion[]> {
    const container = this.container()
    const scope: ScanScope =
      partition === undefined ? { kind: 'range' } : { kind: 'key', ...container.locate([partition]) }
    const found: DocumentVersion[] = []
    for (const version of scan(container, scope)) {
      if (found.length >= limit) break
      if (isWanted(version.document)) found.push(version)
    }
    await this.settled()
    return found
  }

  /** Returns the documents of one partition that `isWanted` accepts, and charges what a query for them costs. */
  async listed(
    operation: string,
    partition: string,
    isWanted: (document: Readonly<JsonObject>) => boolean,
  ): Promise<readonly DocumentVersion[]> {
    const found = await this.find(isWanted, { partition })
    this.options.onCharge(
      operation,
      listCharge(
        found.map(({ bytes }) => bytes),
        rowsPerPage,
      ),
    )
    return found
  }

  /** Returns what is known of the documents that a sweep may have to find and that `isWanted` accepts. */
  async swept(
    operation: string,
    isWanted: (facts: Readonly<JsonObject>) => boolean,
  ): Promise<readonly Standing[]> {
    const found = await StandingDocuments.find(this.container(), isWanted)
    const bytes = found.reduce((sum, standing) => sum + standing.bytes, 0)
    this.options.onCharge(operation, queryCharge(bytes))
    await this.settled()
    return found
  }

  /** Reads the documents that a sweep has found. Leaves out documents that no longer exist. */
  read(found: readonly Standing[]): readonly DocumentVersion[] {
    const container = this.container()
    return found.flatMap(({ number }) => container.numbered(number) ?? [])
  }
}

export function addressOf({ id, pk }: Readonly<JsonObject>): DocumentAddress {
  return { id: String(id), pk: String(pk) }
}
