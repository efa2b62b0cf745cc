import {
  RefusedLeaseError,
  type Lease,
  type LeaseCreation,
  type LeaseDeletion,
  type LeaseInitialization,
  type LeaseListing,
  type LeaseStore,
  type LeaseWrite,
  type NewLease,
} from '../../lease-store/index.js'
import {
  decodeLease,
  encodeLease,
  encodeNewLease,
  initializationLock,
  initializationMarker,
  leaseDocumentId,
  leaseIdPrefix,
  leasePrefix,
  leasePartitioningOf,
  type LeaseDocument,
  type LeasePartitioning,
} from '../../lease-store/internal.js'
import {
  lookupCharge,
  queryCharge,
  readCharge,
  Refusal,
  scan,
  type Container,
  type DocumentVersion,
  type ItemOperation,
  type JsonObject,
  type OperationResult,
} from '../emulator/engine/index.js'

/** `settled` waits until results may be returned. */
export interface EngineLeaseStoreOptions {
  readonly leaseContainer: () => Container
  readonly monitoredContainer: () => Container
  readonly processorName: string
  /** The account name in lease ids. */
  readonly accountHost: string
  /** Receives the operation and the request units of each call. */
  readonly onCharge: (operation: string, charge: number) => void
  readonly settled: () => Promise<void> | null
  readonly now: () => number
}

/** The extra time before a lock counts as stale, because its age is known only to the second. */
const lockGraceMs = 2_000

/** Implements the lease store port directly on the engine, with the same rules as the store over REST. */
export class EngineLeaseStore implements LeaseStore {
  private readonly prefix: string
  private readonly partitioning: LeasePartitioning
  private heldLockEtag: string | null = null

  /** @param decoded the decoded leases, by document version; all instances share this map */
  constructor(
    private readonly options: EngineLeaseStoreOptions,
    private readonly decoded: WeakMap<DocumentVersion, Lease>,
  ) {
    const { processorName, accountHost, leaseContainer, monitoredContainer } = options
    this.prefix = leasePrefix({ processorName, accountHost, containerRid: monitoredContainer().rid })
    const { id, definition } = leaseContainer()
    this.partitioning = leasePartitioningOf(id, definition.partitionKey.paths)
  }

  readonly initialization: LeaseInitialization = {
    doneAtMs: async () => {
      const marker = this.find(this.marker.id)
      return marker === undefined ? null : marker.fields.ts * 1_000
    },
    tryLock: async (ttlSeconds) => this.tryLock(ttlSeconds),
    markDone: async () => {
      const result = await this.write(this.marker.id, { kind: 'create', document: { ...this.marker } })
      if (result instanceof Refusal && result.status !== 409) throw result
    },
    unlock: async () => {
      const ifMatch = this.heldLockEtag
      this.heldLockEtag = null
      if (ifMatch === null) return
      const { id } = initializationLock(this.prefix, this.partitioning, 0)
      await this.write(id, { kind: 'delete', id, ifMatch })
    },
  }

  async list(): Promise<LeaseListing> {
    const prefix = leaseIdPrefix(this.prefix)
    const leases: Lease[] = []
    let bytes = 0
    for (const version of scan(this.options.leaseContainer())) {
      if (!version.id.startsWith(prefix)) continue
      leases.push(this.decode(version))
      bytes += version.bytes
    }
    this.options.onCharge('lease.list', queryCharge(bytes))
    await this.options.settled()
    return { leases, storeTimeMs: Math.floor(this.options.now() / 1000) * 1000 }
  }

  async read(leaseToken: string): Promise<Lease | null> {
    const version = this.find(leaseDocumentId(this.prefix, leaseToken))
    this.options.onCharge('lease.read', version === undefined ? lookupCharge : readCharge(version.bytes))
    await this.options.settled()
    return version === undefined ? null : this.decode(version)
  }

  async create(lease: NewLease): Promise<LeaseCreation> {
    const id = leaseDocumentId(this.prefix, lease.leaseToken)
    const result = await this.write(id, {
      kind: 'create',
      document: copied(encodeNewLease(lease, id, this.partitioning)),
    })
    if (!(result instanceof Refusal)) return { kind: 'created', lease: this.decodeResult(result) }
    if (result.status === 409) return { kind: 'alreadyExists' }
    throw result
  }

  async replace(lease: Lease): Promise<LeaseWrite> {
    const id = leaseDocumentId(this.prefix, lease.leaseToken)
    const document = copied({ ...encodeLease(lease), id })
    const result = await this.write(id, { kind: 'replace', id, document, ifMatch: lease.etag })
    if (!(result instanceof Refusal)) return { kind: 'written', lease: this.decodeResult(result) }
    return lostRace(result)
  }

  async delete(lease: Lease): Promise<LeaseDeletion> {
    const id = leaseDocumentId(this.prefix, lease.leaseToken)
    const result = await this.write(id, { kind: 'delete', id, ifMatch: lease.etag })
    return result instanceof Refusal ? lostRace(result) : { kind: 'deleted' }
  }

  private get marker(): ReturnType<typeof initializationMarker> {
    return initializationMarker(this.prefix, this.partitioning)
  }

  private async tryLock(ttlSeconds: number): Promise<boolean> {
    if (await this.createLock(ttlSeconds)) return true
    return (await this.removeStaleLock(ttlSeconds)) && this.createLock(ttlSeconds)
  }

  private async createLock(ttlSeconds: number): Promise<boolean> {
    const lock = initializationLock(this.prefix, this.partitioning, ttlSeconds)
    const result = await this.write(lock.id, { kind: 'create', document: { ...lock } })
    if (result instanceof Refusal) {
      if (result.status === 409) return false
      throw result
    }
    this.heldLockEtag = result.version?.etag ?? null
    return true
  }

  /** Removes the lock of a crashed instance, which a container without TTL would keep. */
  private async removeStaleLock(ttlSeconds: number): Promise<boolean> {
    const { id } = initializationLock(this.prefix, this.partitioning, ttlSeconds)
    const version = this.find(id)
    if (version === undefined) return true
    const ageMs = this.options.now() - version.fields.ts * 1000
    if (ageMs < ttlSeconds * 1000 + lockGraceMs) return false
    const result = await this.write(id, { kind: 'delete', id, ifMatch: version.etag })
    return !(result instanceof Refusal) || result.status === 404
  }

  /** Executes an operation. Returns a refusal as a value, because it may be a lost race. */
  private async write(id: string, operation: ItemOperation): Promise<OperationResult | Refusal> {
    let result: OperationResult | Refusal
    try {
      result = this.options.leaseContainer().execute([id], operation)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      result = error
    }
    const charge = result instanceof Refusal ? lookupCharge : result.charge
    this.options.onCharge(`lease.${operation.kind}`, charge)
    await this.options.settled()
    return result
  }

  private find(id: string): DocumentVersion | undefined {
    return this.options.leaseContainer().find([id], id)
  }

  private decodeResult({ version }: OperationResult): Lease {
    if (version === null) throw new RangeError('a write that was applied has a version')
    return this.decode(version)
  }

  private decode(version: DocumentVersion): Lease {
    const known = this.decoded.get(version)
    if (known !== undefined) return known
    const document = version.copy()
    const decoded = decodeLease(document)
    const complete =
      decoded.kind === 'refused' && decoded.rule === 'missingFeedRange'
        ? decodeLease(document, this.rangeNamed(document['PartitionId'] ?? document['LeaseToken']))
        : decoded
    if (complete.kind === 'refused')
      throw new RefusedLeaseError(String(document['LeaseToken']), complete.reason)
    this.decoded.set(version, complete.lease)
    return complete.lease
  }

  private rangeNamed(id: unknown): { feedRange?: { min: string; max: string } } {
    const partition = this.options.monitoredContainer().partitions.find((candidate) => candidate.id === id)
    return partition === undefined ? {} : { feedRange: { ...partition.range } }
  }
}

function lostRace(refusal: Refusal): { readonly kind: 'conflict' } | { readonly kind: 'notFound' } {
  if (refusal.status === 412) return { kind: 'conflict' }
  if (refusal.status === 404) return { kind: 'notFound' }
  throw refusal
}

/** Copies a document, because the engine keeps the object that it receives. */
function copied(document: LeaseDocument): JsonObject {
  return JSON.parse(JSON.stringify(document)) as JsonObject
}
