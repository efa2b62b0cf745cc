import { defineAgent, defineWorkflow } from 'stepward'

/** The label to print. */
export interface LabelOrder {
  readonly id: string
  readonly text: string
}

/** Declares the agent's actions, so that workflows can use them. `label_printer.py` does the work. */
const labels = defineAgent('labels', {
  print: (_input: { text: string }): { label: string } => {
    throw new Error('labels are printed by label_printer.py: do not give this agent to a host')
  },
})

/** A workflow of one step, whose agent is a program in another language. */
export const printLabel = defineWorkflow<LabelOrder>(
  'print-label',
  (job) => {
    job.step('print', labels.print, { text: job.input.text }, { completeWithin: '3s', retry: { tries: 20 } })
  },
  { jobId: (order) => order.id },
)
