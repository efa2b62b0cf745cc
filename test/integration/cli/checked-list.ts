import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'

export const clerk = defineAgent('clerk', {
  settle: (input: { readonly of: string }) => input.of,
  report: (input: { readonly failed: number }) => input.failed,
})

const item = defineWorkflow<{ readonly name: string }>('item', (job) => {
  job.limits([
    { key: job.input.name, atOnce: 3 },
    { key: 'team', atOnce: 9, perPartition: true },
  ])
  job.step('settle', clerk.settle, { of: job.input.name }, { undo: 'none' })
  job.step('tell', { ...clerk.settle, actor: 'clerk', action: 'tell' } as typeof clerk.settle, { of: 'x' })
})

export const nightly = defineWorkflow<{ readonly items: readonly { readonly name: string }[] }>(
  'nightly',
  (job) => {
    job.limits([
      { key: 'lists', atOnce: 2 },
      { key: 'runs', atOnce: 1, perPartition: true },
    ])
    const { failed } = job.forEach('each', job.input.items, item, { atOnce: 40 }).output
    job.step(
      'report',
      clerk.report,
      { failed },
      { undo: 'none', limits: [{ key: 'desk', atOnce: 1, perPartition: true }] },
    )
  },
)
