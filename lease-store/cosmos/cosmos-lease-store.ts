import type { Container, ItemDefinition, ItemResponse } from '@azure/cosmos'
import { probeContainer } from './cosmos-container-probe.js'
import { cosmosErrorKind } from './cosmos-errors.js'
import { CosmosLeaseInitialization } from './cosmos-lease-initialization.js'
import { accountHostOf, storeTimeMs } from './cosmos-response.js'
import type { FeedRange, Lease, NewLease } from '../lease/lease.js'
import { leasePartitioningOf } from '../lease/container-role.js'
import {
  decodeLease,
  encodeLease,
  encodeNewLease,
  type LeaseDocument,
  type LeasePartitioning,
} from '../lease/lease-document.js'
import { leaseDocumentId, leaseIdPrefix, leasePrefix } from '../lease/lease-naming.js'
import type {
  LeaseCreation,
  LeaseDeletion,
  LeaseInitialization,
  LeaseListing,
  LeaseStore,
  LeaseWrite,
} from '../lease/lease-store.js'
import { RefusedLeaseError } from '../lease/refused-lease-error.js'

/** The location of a deployment unit's leases, and the container whose feed the leases divide. */
export interface CosmosLeaseStoreOptions {
  /**
   * The container of the leases. The container must be partitioned by `/id` or `/partitionKey`. The container
   * needs `defaultTtl` -1, so that the store removes an old bootstrap lock.
   */
  readonly leaseContainer: Container
  readonly monitoredContainer: Container
  /** The name of the deployment unit. */
  readonly processorName: string
  /**
   * The host part of the monitored account's endpoint, spelled as in the ids of the leases. Default: the host
   * of the endpoint with which the client was configured. Set this option to share leases with hosts that use
   * another spelling.
   */
  readonly accountHost?: string
  /** Called after every request, with the operation and its request units. */
  readonly onCharge?: (operation: string, charge: number) => void
}

type Stored = ItemDefinition & LeaseDocument

/** Stores the leases of one deployment unit in a Cosmos DB container, as documents of the .NET V3 SDK. */
export class CosmosLeaseStore implements LeaseStore {
  readonly initialization: LeaseInitialization
  /** The same object as `initialization`, with the methods that the interface lacks. */
  private readonly marker: CosmosLeaseInitialization

  private constructor(
    private readonly options: CosmosLeaseStoreOptions,
    private readonly prefix: string,
    private readonly partitioning: LeasePartitioning,
  ) {
    this.marker = new CosmosLeaseInitialization({
      container: options.leaseContainer,
      prefix,
      partitioning,
      onAnswer: (operation, answer) => {
        this.charge(operation, answer)
      },
    })
    this.initialization = this.marker
  }

  /**
   * Reads the properties of both containers and returns the store. Rejects if a container does not exist, or
   * if the lease container is partitioned by a path other than `/id` or `/partitionKey`.
   */
  static async open(options: CosmosLeaseStoreOptions): Promise<CosmosLeaseStore> {
    const [{ rid }, leases] = await Promise.all([
      probeContainer(options.monitoredContainer),
      probeContainer(options.leaseContainer),
    ])
    const accountHost = options.accountHost ?? (await accountHostOf(options.monitoredContainer))
    const prefix = leasePrefix({ processorName: options.processorName, accountHost, containerRid: rid })
    const partitioning = leasePartitioningOf(leases.id, leases.settings.partitionKeyPaths)
    return new CosmosLeaseStore(options, prefix, partitioning)
  }

  async list(): Promise<LeaseListing> {
    // The SDK does not return the headers of a query, so the store's time comes from a read of the marker.
    // This read costs one request unit, even if the marker does not exist.
    const [documents, timeMs] = await Promise.all([this.query(), this.marker.storeTimeMs()])
    const leases: Lease[] = []
    for (const document of documents) leases.push(await this.decode(document))
    refuseDuplicates(leases)
    return { leases, storeTimeMs: timeMs }
  }

  async read(leaseToken: string): Promise<Lease | null> {
    const id = leaseDocumentId(this.prefix, leaseToken)
    const answer = await this.options.leaseContainer.item(id, id).read<Stored>()
    this.charge('lease.read', answer)
    if (answer.resource !== undefined) return this.decode(answer.resource)
    if (this.partitioning === '/id') return null
    // An older .NET host may have stored the lease under a random partition key.
    const leases = (await this.list()).leases
    return leases.find((lease) => lease.leaseToken === leaseToken) ?? null
  }

  async create(lease: NewLease): Promise<LeaseCreation> {
    const id = leaseDocumentId(this.prefix, lease.leaseToken)
    const document = encodeNewLease(lease, id, this.partitioning)
    try {
      const answer = await this.options.leaseContainer.items.create<Stored>({ ...document, id })
      this.charge('lease.create', answer)
      return { kind: 'created', lease: await this.decode(stored(document, answer)) }
    } catch (error) {
      if (cosmosErrorKind(error, 'write').kind === 'conflict') return { kind: 'alreadyExists' }
      throw error
    }
  }

  async replace(lease: Lease): Promise<LeaseWrite> {
    const document = encodeLease(lease)
    const id = leaseDocumentId(this.prefix, lease.leaseToken)
    try {
      const answer = await this.options.leaseContainer
        .item(id, keyOf(lease, id))
        .replace<Stored>({ ...document, id }, ifMatch(lease))
      this.charge('lease.replace', answer)
      const isTold = (answer.resource ?? undefined) !== undefined || (answer.etag as unknown) !== undefined
      // The lease is written, but the next write needs the new etag, which is unknown.
      if (!isTold)
        return {
          kind: 'unknownOutcome',
          cause: new Error('the answer contains neither a document nor an etag'),
        }
      return { kind: 'written', lease: await this.decode(stored(document, answer)) }
    } catch (error) {
      const { kind } = cosmosErrorKind(error, 'write')
      if (kind === 'preconditionFailed') return { kind: 'conflict' }
      if (kind === 'notFound') return { kind: 'notFound' }
      if (kind === 'unknownOutcome') return { kind: 'unknownOutcome', cause: error }
      throw error
    }
  }

  async delete(lease: Lease): Promise<LeaseDeletion> {
    const id = leaseDocumentId(this.prefix, lease.leaseToken)
    try {
      const answer = await this.options.leaseContainer
        .item(id, keyOf(lease, id))
        .delete<Stored>(ifMatch(lease))
      this.charge('lease.delete', answer)
      return { kind: 'deleted' }
    } catch (error) {
      const { kind } = cosmosErrorKind(error, 'write')
      if (kind === 'preconditionFailed') return { kind: 'conflict' }
      if (kind === 'notFound') return { kind: 'notFound' }
      throw error
    }
  }

  private async query(): Promise<LeaseDocument[]> {
    const iterator = this.options.leaseContainer.items.query<LeaseDocument>({
      query: 'SELECT * FROM c WHERE STARTSWITH(c.id, @prefix)',
      parameters: [{ name: '@prefix', value: leaseIdPrefix(this.prefix) }],
    })
    const { resources, requestCharge } = await iterator.fetchAll()
    this.options.onCharge?.('lease.list', requestCharge)
    return resources
  }

  private async decode(document: LeaseDocument): Promise<Lease> {
    const decoded = decodeLease(document)
    if (decoded.kind === 'lease') return decoded.lease
    const leaseToken = document['PartitionId'] ?? document['LeaseToken']
    if (decoded.rule === 'missingFeedRange') {
      const feedRange = await this.rangeNamed(leaseToken)
      if (feedRange !== null) {
        const completed = decodeLease(document, { feedRange })
        if (completed.kind === 'lease') return completed.lease
      }
    }
    throw new RefusedLeaseError(String(leaseToken), decoded.reason)
  }

  private async rangeNamed(id: unknown): Promise<FeedRange | null> {
    const { resources } = await this.options.monitoredContainer.readPartitionKeyRanges().fetchAll()
    const range = resources.find((candidate) => candidate.id === id)
    return range === undefined ? null : { min: range.minInclusive, max: range.maxExclusive }
  }

  private charge(operation: string, answer: { readonly requestCharge: number }): void {
    this.options.onCharge?.(operation, answer.requestCharge)
  }
}

/**
 * Returns the partition key of a lease document. This is the key stored in the document, which may be a
 * random key of an older .NET host (reference §9b). A document without a stored key has its id as the key.
 */
function keyOf({ document }: Lease, id: string): string {
  const { partitionKey } = document
  return typeof partitionKey === 'string' ? partitionKey : id
}

/** Throws if a lease exists twice, which random partition keys permit. Neither copy can be trusted (F-L4). */
function refuseDuplicates(leases: readonly Lease[]): void {
  const seen = new Set<unknown>()
  const twice = leases.find(({ document }) => seen.size === seen.add(document['id']).size)
  if (twice !== undefined)
    throw new RefusedLeaseError(
      twice.leaseToken,
      `lease document ${JSON.stringify(twice.document['id'])} is refused: it exists twice, under ` +
        'different partition keys; ' +
        'stop the hosts that wrote it, and delete the copy with the later ContinuationToken',
    )
}

/**
 * Returns the document as the store holds it after a write. If the client is configured to receive no
 * document, the etag and the time come from the headers.
 */
function stored(document: LeaseDocument, answer: ItemResponse<Stored>): LeaseDocument {
  const writtenAtMs = storeTimeMs(answer.headers) ?? 0
  return answer.resource ?? { ...document, _etag: answer.etag, _ts: Math.floor(writtenAtMs / 1_000) }
}

function ifMatch(lease: Lease): { accessCondition: { type: string; condition: string } } {
  return { accessCondition: { type: 'IfMatch', condition: lease.etag } }
}
