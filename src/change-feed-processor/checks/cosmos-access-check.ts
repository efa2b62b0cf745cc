import type { Container } from '@azure/cosmos'
import { cosmosErrorKind, type LeaseMode } from '../../../lease-store/index.js'
import { CosmosChangeFeed } from '../feed/cosmos-change-feed.js'

/** Told the request units of what is tried. */
type OnCharge = (operation: string, charge: number) => void

/** No lease is called so, nor anything else: what is written to it is written to nothing. */
const nobodysId = 'stepward.access-check'

const contributor = 'give this identity the role "Cosmos DB Built-in Data Contributor"'

/**
 * Why the identity cannot use a container in one way, or null when it can. Rejects when the failure says nothing about that:
 * it may pass.
 */
async function refusal(verb: string, use: () => Promise<unknown>): Promise<string | null> {
  try {
    await use()
    return null
  } catch (error) {
    const { kind } = cosmosErrorKind(error)
    if (kind === 'unauthorized')
      return `may not be ${verb}: the key or token of its client is not valid for that (401)`
    if (kind === 'forbidden') return `may not be ${verb} (403); ${contributor}`
    // The container is there: so it is the document that is not.
    if (kind === 'notFound') return null
    throw error
  }
}

/** What keeps a processor from reading this feed, found by reading nothing of it. */
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
 * What keeps a processor from keeping leases here, found without writing: a replace and a delete of what is not there are
 * refused to who may not, and find nothing otherwise.
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

/** Without our own words about where: the container is named before it. */
function textOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown }
  return cause instanceof Error ? cause.message : String(error)
}
