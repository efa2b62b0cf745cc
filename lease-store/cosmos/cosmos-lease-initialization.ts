import type { Container } from '@azure/cosmos'
import { cosmosErrorKind } from './cosmos-errors.js'
import { storeTimeMs } from './cosmos-response.js'
import type { LeasePartitioning } from '../lease/lease-document.js'
import { initializationLock, initializationMarker } from '../lease/lease-naming.js'
import type { LeaseInitialization } from '../lease/lease-store.js'

/** The location of the marker and the lock, and a function that receives the cost of each request. */
export interface CosmosLeaseInitializationOptions {
  readonly container: Container
  readonly prefix: string
  readonly partitioning: LeasePartitioning
  readonly onAnswer: (operation: string, answer: { readonly requestCharge: number }) => void
}

/** A lock is removed this long after its TTL has ended, because its age is known only in whole seconds. */
const lockGraceMs = 2_000

/** The marker `.info` and the lock `.lock` of a deployment unit in a Cosmos DB container. */
export class CosmosLeaseInitialization implements LeaseInitialization {
  private heldLockEtag: string | null = null

  constructor(private readonly options: CosmosLeaseInitializationOptions) {}

  async doneAtMs(): Promise<number | null> {
    return (await this.readMarker()).doneAtMs
  }

  /** Reads the marker and returns the store's time from the answer, or null if the answer has no date. */
  async storeTimeMs(): Promise<number | null> {
    return (await this.readMarker()).timeMs
  }

  async tryLock(ttlSeconds: number): Promise<boolean> {
    if (await this.createLock(ttlSeconds)) return true
    const isRemoved = await this.removeStaleLock(ttlSeconds)
    return isRemoved && this.createLock(ttlSeconds)
  }

  async markDone(): Promise<void> {
    const { container, prefix, partitioning, onAnswer } = this.options
    try {
      onAnswer('lease.markDone', await container.items.create(initializationMarker(prefix, partitioning)))
    } catch (error) {
      if (cosmosErrorKind(error, 'write').kind !== 'conflict') throw error
    }
  }

  async unlock(): Promise<void> {
    const etag = this.heldLockEtag
    if (etag === null) return
    this.heldLockEtag = null
    await this.deleteLock(etag)
  }

  private async readMarker(): Promise<{ doneAtMs: number | null; timeMs: number | null }> {
    const { container, prefix, partitioning, onAnswer } = this.options
    const { id } = initializationMarker(prefix, partitioning)
    const answer = await container.item(id, id).read<{ id: string }>()
    onAnswer('lease.readMarker', answer)
    const doneAtMs = answer.resource === undefined ? null : answer.resource._ts * 1_000
    return { doneAtMs, timeMs: storeTimeMs(answer.headers) }
  }

  private async createLock(ttlSeconds: number): Promise<boolean> {
    const { container, prefix, partitioning, onAnswer } = this.options
    try {
      const answer = await container.items.create(initializationLock(prefix, partitioning, ttlSeconds))
      onAnswer('lease.lock', answer)
      this.heldLockEtag = answer.etag
      return true
    } catch (error) {
      if (cosmosErrorKind(error, 'write').kind === 'conflict') return false
      throw error
    }
  }

  /**
   * Removes an expired lock, because a container without TTL keeps the lock of a crashed instance forever.
   */
  private async removeStaleLock(ttlSeconds: number): Promise<boolean> {
    const { container, prefix, partitioning, onAnswer } = this.options
    const { id } = initializationLock(prefix, partitioning, ttlSeconds)
    const answer = await container.item(id, id).read<{ id: string }>()
    onAnswer('lease.readLock', answer)
    const timeMs = storeTimeMs(answer.headers)
    if (answer.resource === undefined) return true
    if (timeMs === null || timeMs - answer.resource._ts * 1_000 < ttlSeconds * 1_000 + lockGraceMs)
      return false
    return this.deleteLock(answer.resource._etag)
  }

  private async deleteLock(etag: string): Promise<boolean> {
    const { container, prefix, partitioning, onAnswer } = this.options
    const { id } = initializationLock(prefix, partitioning, 0)
    try {
      const accessCondition = { type: 'IfMatch', condition: etag }
      onAnswer('lease.unlock', await container.item(id, id).delete({ accessCondition }))
      return true
    } catch (error) {
      const { kind } = cosmosErrorKind(error, 'write')
      if (kind === 'notFound') return true
      if (kind === 'preconditionFailed') return false
      throw error
    }
  }
}
