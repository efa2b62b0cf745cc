import { defineAgent, defineWorkflow } from '../../src/sas/index.js'

const counter = defineAgent('counter', { count: (input: { readonly total: number }) => input })

/** A workflow whose input has a schema. */
export const checked = defineWorkflow<{ readonly id: string; readonly total: number }>(
  'checked',
  (job) => void job.step('count', counter.count, { total: job.input.total }, { undo: 'none' }),
  {
    jobId: ({ id }) => id.trim(),
    input: {
      type: 'object',
      properties: { id: { type: 'string' }, total: { type: 'number', minimum: 0 } },
      required: ['id', 'total'],
    },
  },
)
