import type { ContainerRecord, Journal, KeptHistory, RecoveredDocument } from './changes/journal.js'
import type { ContainerDefinition } from './definition/container-definition.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'
import type { ColdDocuments } from './cold/cold-documents.js'
import type { JsonObject } from './values/json.js'
import type { TextMemory } from './values/text-memory.js'
import type { WriteWatch } from './write-watch.js'

/** The data of a new container, or of a container that a journal kept. */
export interface ContainerBirth extends Omit<ContainerRecord, 'definition'> {
  readonly databaseId: string
  readonly definition: ContainerDefinition
  readonly partitions: readonly PhysicalPartition[]
  readonly lastDocumentNumber: number
  readonly history?: KeptHistory | undefined
  /** The documents that the journal has and the cold documents lack. */
  readonly recovered?: readonly RecoveredDocument[] | undefined
  /** Null if all documents stay in memory. */
  readonly memory: TextMemory | null
  /** The same object that the partitions have. */
  readonly cold: ColdDocuments | null
  readonly journal: Journal
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly writes: WriteWatch
}

/** Returns a container in the form that clients see. */
export function containerResource(container: {
  readonly definition: ContainerDefinition
  readonly rid: string
  readonly ts: number
  readonly self: string
  readonly etag: string
}): JsonObject {
  return {
    ...container.definition.body,
    _rid: container.rid,
    _ts: container.ts,
    _self: container.self,
    _etag: container.etag,
    _docs: 'docs/',
    _sprocs: 'sprocs/',
    _triggers: 'triggers/',
    _udfs: 'udfs/',
    _conflicts: 'conflicts/',
  }
}
