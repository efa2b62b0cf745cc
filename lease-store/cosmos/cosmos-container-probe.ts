import type { Container, ContainerDefinition } from '@azure/cosmos'
import type { ContainerSettings } from '../lease/container-role.js'
import { storeTimeMs } from './cosmos-response.js'

/** The properties of a container, and the store's time when they were read. */
export interface ProbedContainer {
  readonly id: string
  /** The id that the service gave the container. */
  readonly rid: string
  readonly settings: ContainerSettings
  /** The store's time in milliseconds since the epoch, or null if the store's answer contains no time. */
  readonly storeTimeMs: number | null
}

/** Reads the settings of a container. Rejects if the container is missing, forbidden or unreachable. */
export async function probeContainer(container: Container): Promise<ProbedContainer> {
  const { resource, headers } = await container.read()
  if (resource === undefined) throw new Error(`the answer for container ${container.id} lacks its definition`)
  const { partitionKey, defaultTtl = null } = resource
  return {
    id: container.id,
    rid: resource._rid,
    settings: {
      partitionKeyPaths: partitionKey?.paths ?? [],
      defaultTtl,
      isFullyIndexed: isFullyIndexed(resource),
    },
    storeTimeMs: storeTimeMs(headers),
  }
}

function isFullyIndexed({ indexingPolicy }: ContainerDefinition): boolean {
  const { indexingMode, excludedPaths = [] } = indexingPolicy ?? {}
  return indexingMode !== 'none' && !excludedPaths.some(({ path }) => path === '/*')
}
