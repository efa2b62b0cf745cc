import type { DatabaseAccount } from '@azure/cosmos'
import { contextOf } from '../../lease-store/internal.js'
import type { Clock } from '../platform/index.js'
import { BackgroundLoop } from '../platform/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import type { OpenConnection } from '../connection/internal.js'

/** The interval at which a running host reads the settings of its account. A read costs no request units. */
const askEveryMs = 300_000

/**
 * Consistency levels at which a process may not see its own writes, so it could decide on outdated documents.
 */
const tooWeak: readonly string[] = ['Eventual', 'ConsistentPrefix']

/** Returns the reason why roles must not run on this account with this client (I12, I22), or null. */
export function accountProblem(
  { endpoint, client }: Pick<OpenConnection, 'endpoint' | 'client'>,
  account: DatabaseAccount | undefined,
): string | null {
  if (account?.enableMultipleWritableLocations === true) {
    return (
      `${endpoint} writes in several regions, where two instances can both win one lease: ` +
      'turn multi-region writes off for this account, or use another one'
    )
  }
  const asked = consistencyOf(client)
  if (asked !== null && tooWeak.includes(asked)) {
    return (
      `the given client reads with consistency ${JSON.stringify(asked)}: create it with "Session" ` +
      'or a stronger one'
    )
  }
  // The service returns a property that the SDK's type lacks.
  const { defaultConsistencyLevel: usual = null } = (account?.consistencyPolicy ?? {}) as {
    readonly defaultConsistencyLevel?: string
  }
  // A request cannot get a stronger consistency than the default of the account.
  if (usual !== null && tooWeak.includes(usual)) {
    return (
      `${endpoint} reads with consistency ${JSON.stringify(usual)} by default: set it to ` +
      '"Session" or a stronger one'
    )
  }
  return null
}

/** Returns the consistency level in the client's options, or null if the account's default applies. */
function consistencyOf(client: OpenConnection['client']): string | null {
  const options = contextOf(client, 'cosmosClientOptions')
  const level: unknown =
    typeof options === 'object' && options !== null ? Reflect.get(options, 'consistencyLevel') : null
  return typeof level === 'string' ? level : null
}

/**
 * Checks the account of a running host from time to time, because the account's settings may change. While
 * there is a problem, the host is not ready and reports the reason. It cannot undo a write that two regions
 * have both accepted.
 *
 * States: idle → running (`start`) → idle (`stop`).
 */
export class AccountWatch {
  private readonly loop: BackgroundLoop
  private current: string | null = null

  constructor(
    private readonly connection: Pick<OpenConnection, 'endpoint' | 'client'>,
    clock: Clock,
    private readonly telemetry: Telemetry,
  ) {
    this.loop = new BackgroundLoop({
      clock,
      turn: () => this.ask(),
      // A failed read says nothing about the account. The roles report a store that does not answer.
      onError: () => askEveryMs,
    })
  }

  /** Returns the reason why the host should not work on this account, or null if none is known. */
  unhealthyReason(): string | null {
    return this.current
  }

  start(): void {
    this.loop.start()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  private async ask(): Promise<number> {
    const { resource } = await this.connection.client.getDatabaseAccount()
    const problem = accountProblem(this.connection, resource)
    if (problem !== null && problem !== this.current)
      this.telemetry.emit({ type: 'host.advised', advice: problem })
    this.current = problem
    return askEveryMs
  }
}
