import { defineAgent, defineWorkflow } from '../../src/sas/index.js'

/** What a job of {@link selling} is given. */
export interface Basket {
  readonly id: string
  readonly items: readonly string[]
}

/** Sells one item. */
export const seller = defineAgent('seller', { sell: ({ item }: { item: string }) => item })

/** A module as `--workflows` names one: at most two items of a list are sold. */
export const selling = defineWorkflow<Basket>(
  'selling',
  (job) => void job.forEach('sell', job.input.items, (item) => seller.sell({ item }), { atMost: 2 }),
  { jobId: ({ id }) => id },
)
