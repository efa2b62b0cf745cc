import type { ContainerDefinition } from './definition/container-definition.js'
import type { KeptHistory } from './changes/change-history.js'
import type { Journal } from './changes/journal.js'
import type { PhysicalPartition } from './partitions/physical-partition.js'

/** What a container is born with. */
export interface ContainerBirth {
  readonly rid: string
  readonly databaseRid: string
  readonly databaseId: string
  readonly definition: ContainerDefinition
  readonly etag: string
  readonly ts: number
  readonly partitions: readonly PhysicalPartition[]
  readonly lastDocumentNumber: number
  /** What a journal kept of its history. */
  readonly history?: KeptHistory | undefined
  readonly journal: Journal
  /** Milliseconds since the epoch. */
  readonly now: () => number
}
