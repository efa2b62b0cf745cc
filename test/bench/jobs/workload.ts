import { defineAgent, defineWorkflow, systemClock } from 'stepward'

/** The duration of the second step of the slow job. */
const slowStepMs = 500

/** Agents that only return their input, at once or after a delay. */
export const worker = defineAgent('worker', {
  pass: (input: Work) => input,
  linger: async (input: Work) => {
    await systemClock.sleep(slowStepMs)
    return input
  },
})

/** The input of a job of the benchmark. */
export interface Work {
  readonly value: number
}

/** The job to measure: three steps, each of which needs the output of the step before. */
export const noop = defineWorkflow<Work>('noop', (job) => {
  const first = job.step('first', worker.pass, { value: job.input.value }, { undo: 'none' })
  const second = job.step('second', worker.pass, { value: first.output.value }, { undo: 'none' })
  job.step('third', worker.pass, { value: second.output.value }, { undo: 'none' })
})

/** The job of the recovery. The worker dies during its second step, whose deadline is short. */
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
