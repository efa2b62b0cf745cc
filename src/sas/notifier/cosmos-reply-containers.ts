import type { Database } from '@azure/cosmos'
import type { ReplyContainers } from './reply.js'

/** Upserts replies into containers of a Cosmos database, so a repeated reply replaces the earlier reply. */
export class CosmosReplyContainers implements ReplyContainers {
  constructor(private readonly options: { readonly database: Database }) {}

  async put(...[container, document]: Parameters<ReplyContainers['put']>): Promise<void> {
    await this.options.database.container(container).items.upsert(document)
  }
}
