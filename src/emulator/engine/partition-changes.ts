import {
  badRequest,
  type Container,
  type CosmosEngine,
  type KeyRange,
  type PhysicalPartition,
} from './index.js'

/** The name of a container and the name of its database. A `Container` of the SDK is also accepted. */
export type ContainerReference =
  | { readonly database: string; readonly container: string }
  | { readonly id: string; readonly database: { readonly id: string } }

/** The id of a physical partition and its part of the key space. */
export interface PartitionRange extends KeyRange {
  readonly id: string
}

/** Splits and merges physical partitions, as the service does when a container grows or shrinks. */
export interface PartitionChanges {
  /**
   * Splits a physical partition into two halves and resolves with the two new partitions. Requests for the
   * old range then get status 410 with sub-status 1002. A position in the old change feed is valid in both
   * new feeds.
   *
   * @param rangeId the id of the partition to split; default: the partition with the most documents
   */
  splitPartition(container: ContainerReference, rangeId?: string): Promise<readonly PartitionRange[]>
  /**
   * Merges two neighbouring physical partitions into one. In other respects, it works like {@link
   * splitPartition}.
   */
  mergePartitions(
    container: ContainerReference,
    rangeIds: readonly [string, string],
  ): Promise<readonly PartitionRange[]>
}

/** Returns functions that split and merge an engine's partitions, and resolve when the change is durable. */
export function partitionChanges(engine: CosmosEngine): PartitionChanges {
  return {
    splitPartition: async (reference, rangeId) => {
      const children = splitPartition(containerOf(engine, reference), rangeId)
      await engine.settled()
      return children
    },
    mergePartitions: async (reference, rangeIds) => {
      const children = mergePartitions(containerOf(engine, reference), rangeIds)
      await engine.settled()
      return children
    },
  }
}

/** Splits one partition, by default the partition with the most documents. */
export function splitPartition(container: Container, rangeId?: string): readonly PartitionRange[] {
  return container.splitPartition(rangeId ?? fullest(container).id).map(rangeOf)
}

export function mergePartitions(
  container: Container,
  rangeIds: readonly [string, string],
): readonly PartitionRange[] {
  return [rangeOf(container.mergePartitions(rangeIds))]
}

function containerOf(engine: CosmosEngine, reference: ContainerReference): Container {
  return 'container' in reference
    ? engine.container(reference.database, reference.container)
    : engine.container(reference.database.id, reference.id)
}

function fullest(container: Container): PhysicalPartition {
  const [first, ...others] = container.partitions
  if (first === undefined) throw badRequest(`The container '${container.id}' has no partitions.`)
  return others.reduce((most, one) => (one.documents.size > most.documents.size ? one : most), first)
}

function rangeOf({ id, range }: PhysicalPartition): PartitionRange {
  return { id, ...range }
}
