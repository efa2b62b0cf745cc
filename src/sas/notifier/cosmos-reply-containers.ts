import type { Database } from '@azure/cosmos'
import type { ReplyContainers } from './reply.js'

/**
 * Puts replies into containers of a Cosmos database. A repeated reply replaces itself, because the writes are
 * upserts.
 */
export class CosmosReplyContainers implements ReplyContainers {
  constructor(private readonly options: { readonly database: Database }) {}

  async put(...[container, document]: Parameters<ReplyContainers['put']>): Promise<void> {
    await this.options.database.container(container).items.upsert(document)
  }
}
