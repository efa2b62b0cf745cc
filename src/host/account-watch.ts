import type { DatabaseAccount } from '@azure/cosmos'
import { BackgroundLoop, type Clock } from '../platform/index.js'
import type { Telemetry } from '../telemetry/index.js'
import type { OpenConnection } from './connection.js'

/** How often a running host asks; it costs a request and no request unit. */
const askEveryMs = 300_000

/** With one of these a process may not read what it has just written, and would decide on what is over. */
const tooWeak: readonly string[] = ['Eventual', 'ConsistentPrefix']

/** Why roles must not run on this account with this client (I12, I22); null where they may. */
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
    return `the given client reads with consistency ${JSON.stringify(asked)}: make it with "Session" or a stronger one`
  }
  // Untyped: the client's own declaration says less than the service.
  const { defaultConsistencyLevel: usual = null } = (account?.consistencyPolicy ?? {}) as {
    readonly defaultConsistencyLevel?: string
  }
  if (asked === null && usual !== null && tooWeak.includes(usual)) {
    return `${endpoint} reads with consistency ${JSON.stringify(usual)} by default: set it to "Session" or a stronger one`
  }
  return null
}

/** What the client was made with; null where it said nothing, so the account's default holds. */
function consistencyOf(client: OpenConnection['client']): string | null {
  const context: unknown = Reflect.get(client, 'clientContext')
  const options: unknown =
    typeof context === 'object' && context !== null ? Reflect.get(context, 'cosmosClientOptions') : null
  const level: unknown =
    typeof options === 'object' && options !== null ? Reflect.get(options, 'consistencyLevel') : null
  return typeof level === 'string' ? level : null
}

/**
 * Asks a running host's account again from time to time: what was checked at the start may be changed in the portal. A
 * host on such an account is not ready, and says why; it cannot undo what two regions both accepted.
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
      // A store that does not answer is no news of the account, and is reported where work meets it.
      onError: () => askEveryMs,
    })
  }

  /** Why the host should not go on as it is; null while nothing is wrong. */
  get problem(): string | null {
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
