import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'

export const packer = defineAgent('packer', { pack: (input: { readonly of: string }) => input })

/** A workflow with a step for each item of a list, and with steps whose numbers mean nothing. */
export const packing = defineWorkflow<{ readonly items: readonly string[] }>('packing', (job) => {
  job.forEach('pack', job.input.items, (of) => packer.pack({ of }), { atMost: 12, undo: 'none' })
  const first = job.step('check-1', packer.pack, { of: 'a' }, { undo: 'none' })
  job.step('check-2', packer.pack, { of: 'b' }, { undo: 'none', retry: { tries: 1 } })
  job.step('seal', packer.pack, { of: 'c' }, { undo: 'none', after: [first] })
})
