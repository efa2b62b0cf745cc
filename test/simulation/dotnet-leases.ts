import { Refusal, scan, type Container, type JsonObject } from '../../src/emulator/engine/index.js'
import type { Wiring } from '../../src/testing/network.js'
import { documentIn } from '../../src/testing/stored-lease.js'

/**
 * A lease with the fields of the .NET SDK's class. Other fields of the document are lost when it is written.
 */
export interface DotnetLease {
  readonly id: string
  readonly version: number
  /** The etag of the document that was read, or null for one that this host created. It is never updated. */
  readonly _etag: string | null
  readonly LeaseToken: string
  readonly FeedRange: { readonly Range: { readonly min: string; readonly max: string } }
  readonly Owner: string | null
  readonly ContinuationToken: string | null
  readonly properties: Readonly<Record<string, string>>
  readonly timestamp: string | null
  readonly Mode?: string
}

/** The lease container as a .NET host uses it. Requests have conditions only where the host has an etag. */
export class DotnetLeases {
  constructor(private readonly container: () => Container) {}

  async list(): Promise<readonly DotnetLease[]> {
    return [...scan(this.container())]
      .filter(({ id }) => id.includes('..'))
      .map(({ fields }) => leaseOf(documentIn(fields)))
  }

  async read({ id }: DotnetLease): Promise<DotnetLease | null> {
    const version = this.container().find([id], id)
    return version === undefined ? null : leaseOf(documentIn(version.fields))
  }

  /** Returns whether the lease was written. False when the etag has changed. */
  async replace(lease: DotnetLease): Promise<boolean> {
    const { id, _etag } = lease
    const condition = _etag === null ? {} : { ifMatch: _etag }
    return this.applied(() =>
      this.container().execute([id], { kind: 'replace', id, document: documentOf(lease), ...condition }),
    )
  }

  /** Returns whether the lease was created. False when it already existed. */
  async create(lease: DotnetLease): Promise<boolean> {
    return this.applied(() =>
      this.container().execute([lease.id], { kind: 'create', document: documentOf(lease) }),
    )
  }

  async remove({ id }: DotnetLease): Promise<boolean> {
    return this.applied(() => this.container().execute([id], { kind: 'delete', id }))
  }

  private applied(act: () => unknown): boolean {
    try {
      act()
      return true
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }
}

/**
 * Its requests can be slow but are never lost, because the simulation tests only the effect of its rules on
 * our hosts.
 */
export const dotnetWiring: Wiring = {
  party: 'dotnet',
  writePointOf: () => null,
  lost: (_method, cause) => Promise.reject(cause),
  stale: (_request, answer) => answer,
}

function leaseOf(document: Readonly<Record<string, unknown>>): DotnetLease {
  const { id, version, _etag, LeaseToken, FeedRange, Owner, ContinuationToken, properties, timestamp, Mode } =
    document as unknown as DotnetLease
  const known = { id, version, _etag, LeaseToken, FeedRange, Owner, ContinuationToken, properties, timestamp }
  return Mode === undefined ? known : { ...known, Mode }
}

function documentOf(lease: DotnetLease): JsonObject {
  return JSON.parse(JSON.stringify(lease)) as JsonObject
}
