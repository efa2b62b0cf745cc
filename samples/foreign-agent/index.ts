import { defineAgent, defineWorkflow } from 'stepward'

/** What is to be on a label. */
export interface LabelOrder {
  readonly id: string
  readonly text: string
}

/** Says to workflows and to the compiler what the agent offers; no host runs it, `label_printer.py` does. */
const labels = defineAgent('labels', {
  print: (_input: { text: string }): { label: string } => {
    throw new Error('labels are printed by label_printer.py: do not give this agent to a host')
  },
})

/** One step, whose agent is a program in another language. */
export const printLabel = defineWorkflow<LabelOrder>(
  'print-label',
  (job) => {
    job.step('print', labels.print, { text: job.input.text }, { completeWithin: '3s', maxFailures: 20 })
  },
  { jobId: (order) => order.id },
)
