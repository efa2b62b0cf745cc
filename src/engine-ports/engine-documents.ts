import { StoreUnavailable } from '../sas/model/errors.js'
import {
  scan,
  type Container,
  type DocumentVersion,
  type JsonObject,
  type ScanScope,
} from '../emulator/engine/index.js'

/** Where jobs and steps live, and when what is shown of them may be shown. */
export interface EngineStateStoreOptions {
  readonly container: () => Container
  readonly settled: () => Promise<void> | null
}

/** The documents of a state container on the engine. */
export class EngineDocuments {
  constructor(private readonly options: EngineStateStoreOptions) {}

  container(): Container {
    return this.options.container()
  }

  /** Waits for the disk, because nothing may be shown that it did not take. */
  async settled(): Promise<void> {
    try {
      await this.options.settled()
    } catch (cause) {
      throw new StoreUnavailable('the embedded Cosmos DB cannot write its data directory', { cause })
    }
  }

  /** Returns the scope of one logical partition. */
  partition(partition: string): ScanScope {
    return { kind: 'key', ...this.container().locate([partition]) }
  }

  find(
    limit: number,
    isWanted: (document: Readonly<JsonObject>) => boolean,
    scope: ScanScope = { kind: 'container' },
  ): readonly DocumentVersion[] {
    const found: DocumentVersion[] = []
    for (const version of scan(this.container(), scope)) {
      if (found.length >= limit) break
      if (isWanted(version.document)) found.push(version)
    }
    return found
  }
}
