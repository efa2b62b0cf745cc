import { defineAgent, defineWorkflow, systemClock } from 'stepward'

/** What the second step of the slow job takes. */
const slowStepMs = 500

/** Agents that do nothing but pass on what they were given, at once or after a while. */
export const worker = defineAgent('worker', {
  pass: (input: Work) => input,
  linger: async (input: Work) => {
    await systemClock.sleep(slowStepMs)
    return input
  },
})

/** What a job of the benchmark is told. */
export interface Work {
  readonly value: number
}

/** The job that is measured: three steps, each needing what the one before returned. */
export const noop = defineWorkflow<Work>('noop', (job) => {
  const first = job.step('first', worker.pass, { value: job.input.value }, { undo: 'none' })
  const second = job.step('second', worker.pass, { value: first.output.value }, { undo: 'none' })
  job.step('third', worker.pass, { value: second.output.value }, { undo: 'none' })
})

/** The job of the recovery: whoever dies does so in its second step, whose deadline is soon. */
export const lingering = defineWorkflow<Work>('lingering', (job) => {
  const first = job.step('first', worker.pass, { value: job.input.value }, { undo: 'none' })
  const second = job.step(
    'second',
    worker.linger,
    { value: first.output.value },
    { completeWithin: '5s', undo: 'none' },
  )
  job.step('third', worker.pass, { value: second.output.value }, { undo: 'none' })
})
