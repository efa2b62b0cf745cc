import { defineAgent, defineWorkflow } from '../../src/sas/index.js'

/** The input of a job of {@link selling}. */
export interface Basket {
  readonly id: string
  readonly items: readonly string[]
}

export const seller = defineAgent('seller', { sell: ({ item }: { item: string }) => item })

/** A workflow for `--workflows`. It sells at most two items of a list. */
export const selling = defineWorkflow<Basket>(
  'selling',
  (job) => void job.forEach('sell', job.input.items, (item) => seller.sell({ item }), { atMost: 2 }),
  { jobId: ({ id }) => id },
)
