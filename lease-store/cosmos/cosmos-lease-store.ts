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

/** The location of a deployment unit's leases, and the container whose feed they divide. */
export interface CosmosLeaseStoreOptions {
  /**
   * Partitioned by `/id` or `/partitionKey`, with `defaultTtl` -1 so that a stale bootstrap lock removes
   * itself.
   */
  readonly leaseContainer: Container
  readonly monitoredContainer: Container
  /** The name of the deployment unit. */
  readonly processorName: string
  /**
   * Host part of the monitored account's endpoint, as the ids of the leases spell it. Default: the host of
   * the endpoint that the client was configured with. Set it to share leases with hosts that spell it
   * differently.
   */
  readonly accountHost?: string
  /** Called with the operation and the request units of every request. */
  readonly onCharge?: (operation: string, charge: number) => void
}

type Stored = ItemDefinition & LeaseDocument

/** Stores the leases of one deployment unit in a Cosmos DB container, as documents of the .NET V3 SDK. */
export class CosmosLeaseStore implements LeaseStore {
  readonly initialization: LeaseInitialization
  /** The same as `initialization`, for what the port does not offer. */
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
   * Reads the properties of both containers. Rejects when a container is missing, or when the lease container
   * is partitioned by another path than `/id` or `/partitionKey`.
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
    // The SDK does not publish a query's headers. A read of the marker, even a missing one, gives them for
    // one request unit.
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
    // An older .NET host may have stored it under a random partition key.
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
      // The lease is written, but the next write needs its etag.
      if (!isTold)
        return { kind: 'unknownOutcome', cause: new Error('the answer has neither document nor etag') }
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
 * Returns the partition key of a lease. Older .NET hosts used random keys, and every write keeps the key
 * (reference §9b).
 */
function keyOf({ document }: Lease, id: string): string {
  const { partitionKey } = document
  return typeof partitionKey === 'string' ? partitionKey : id
}

/**
 * Throws if a lease exists twice. Under random keys two hosts can create one twice, and neither copy is right
 * (F-L4).
 */
function refuseDuplicates(leases: readonly Lease[]): void {
  const seen = new Set<unknown>()
  const twice = leases.find(({ document }) => seen.size === seen.add(document['id']).size)
  if (twice !== undefined)
    throw new RefusedLeaseError(
      twice.leaseToken,
      `lease document ${JSON.stringify(twice.document['id'])} is refused: it is there twice, under ` +
        'different partition keys; ' +
        'stop the hosts that wrote it and delete the one with the later ContinuationToken',
    )
}

/**
 * Returns the document as the store holds it after a write. Some clients are configured to receive no
 * document; then etag and time come from the headers.
 */
function stored(document: LeaseDocument, answer: ItemResponse<Stored>): LeaseDocument {
  const writtenAtMs = storeTimeMs(answer.headers) ?? 0
  return answer.resource ?? { ...document, _etag: answer.etag, _ts: Math.floor(writtenAtMs / 1_000) }
}

function ifMatch(lease: Lease): { accessCondition: { type: string; condition: string } } {
  return { accessCondition: { type: 'IfMatch', condition: lease.etag } }
}
