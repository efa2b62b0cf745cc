import type { Container } from '@azure/cosmos'

/** A change that a processor stored instead of trying it again. */
export interface StoredDeadLetter {
  readonly id: string
  /** The id of the document that changed. */
  readonly documentId: string
  readonly leaseToken: string
  /** The time when it was stored, by the store's clock, in ISO-8601 UTC. */
  readonly at: string
  readonly error: { readonly name: string; readonly message: string }
}

interface Row {
  readonly id: string
  readonly documentId: string
  readonly leaseToken: string
  readonly storedAt: number
  readonly name: string
  readonly message: string
}

/** The most characters of a message that are returned. */
const longestMessage = 500

/**
 * Reads the newest documents that `cosmosDeadLetter` wrote to a container. Other documents of the container are left out,
 * and so are the changes and stacks, which may be large. A long message is cut.
 */
export async function newestDeadLetters(container: Container, limit: number): Promise<StoredDeadLetter[]> {
  const texts = ['c.documentId', 'c.leaseToken', 'c.error.name', 'c.error.message']
  const written = texts.map((path) => `IS_STRING(${path})`).join(' AND ')
  const error = `LEFT(c.error.name, 100) AS name, LEFT(c.error.message, ${longestMessage}) AS message`
  const fields = `c.id, c.documentId, c.leaseToken, ${error}, c._ts AS storedAt`
  const query = {
    query: `SELECT TOP @limit ${fields} FROM c WHERE ${written} ORDER BY c._ts DESC`,
    parameters: [{ name: '@limit', value: limit }],
  }
  // By default, the SDK asks for the rows of an ordered query ten at a time.
  const { resources } = await container.items.query<Row>(query, { maxItemCount: limit }).fetchAll()
  return resources.map(({ id, documentId, leaseToken, storedAt, name, message }) => ({
    ...{ id, documentId, leaseToken },
    at: new Date(storedAt * 1_000).toISOString(),
    error: { name, message },
  }))
}
