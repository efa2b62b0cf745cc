import type { Container } from '@azure/cosmos'
import type { LeaseMode } from '../../../lease-store/index.js'
import { cosmosErrorKind } from '../../../lease-store/internal.js'
import { CosmosChangeFeed } from '../feed/cosmos-change-feed.js'

/** Receives the request units of each attempt. */
type OnCharge = (operation: string, charge: number) => void

/** An id that no document has, so a write to this id changes nothing. */
const nobodysId = 'stepward.access-check'

const contributor = 'give this identity the role "Cosmos DB Built-in Data Contributor"'

/** Returns the reason why access is refused, or null if access is granted. Rejects with any other failure. */
async function refusal(verb: string, use: () => Promise<unknown>): Promise<string | null> {
  try {
    await use()
    return null
  } catch (error) {
    const { kind } = cosmosErrorKind(error)
    if (kind === 'unauthorized')
      return `may not be ${verb}: the key or token of its client is not valid for that (401)`
    if (kind === 'forbidden') return `may not be ${verb} (403); ${contributor}`
    // The container exists, so only the document is missing.
    if (kind === 'notFound') return null
    throw error
  }
}

/** Returns the problems that prevent a processor from reading this feed. The check reads no changes. */
export async function feedProblems(
  container: Container,
  { leaseMode, onCharge }: { readonly leaseMode: LeaseMode; readonly onCharge?: OnCharge | undefined },
): Promise<string[]> {
  const feed = new CosmosChangeFeed({ container, ...(onCharge === undefined ? {} : { onCharge }) })
  const isLatest = leaseMode === 'Incremental Feed'
  const read = async (): Promise<void> => {
    const [feedRange] = await feed.physicalRanges()
    if (feedRange === undefined) return
    const options = { maxItemCount: 1, signal: new AbortController().signal }
    const from = { feedRange, start: { kind: 'now' } } as const
    await (isLatest ? feed.readNext(from, options) : feed.readAllVersions(from, options))
  }
  try {
    const problem = await refusal('read as a change feed', read)
    return problem === null ? [] : [problem]
  } catch (error) {
    if (isLatest || !isBadRequest(error)) throw error
    return [
      `does not serve all versions and deletes, so mode cannot be "allVersionsAndDeletes": ${textOf(error)}`,
    ]
  }
}

/**
 * Returns the problems that prevent a processor from keeping leases in this container. The check changes
 * nothing, because it replaces and deletes only a document that does not exist.
 */
export async function leaseAccessProblems(container: Container): Promise<string[]> {
  const item = container.item(nobodysId, nobodysId)
  const uses = [
    refusal('queried', () => container.items.query('SELECT TOP 1 c.id FROM c').fetchAll()),
    refusal('read', () => item.read()),
    refusal('written', () => item.replace({ id: nobodysId, partitionKey: nobodysId })),
    refusal('deleted from', () => item.delete()),
  ]
  return (await Promise.all(uses)).filter((problem) => problem !== null)
}

function isBadRequest(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown }
  return typeof cause === 'object' && cause !== null && Reflect.get(cause, 'code') === 400
}

/** Returns the message of the cause. The full message would name the container twice. */
function textOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown }
  return cause instanceof Error ? cause.message : String(error)
}
