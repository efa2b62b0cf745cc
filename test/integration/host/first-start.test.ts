import { connect, defineAgent, defineWorkflow, startHost } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { expect, it, onTestFinished } from 'vitest'

const greeter = defineAgent('greeter', { greet: (input: { name: string }) => `hello ${input.name}` })
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  job.step('greet', greeter.greet, { name: job.input.name })
})

it('a job that was submitted before any role ran is done by the first host that starts (R163)', async () => {
  const cosmos = createInProcessCosmos({ partitionCount: 2 })
  onTestFinished(() => cosmos.close())
  const client = cosmos.client()
  const early = await connect({ client })
  const jobs = await Promise.all(
    ['ann', 'bob', 'eve'].map((name) => early.submit(greeting, { name }, { jobId: name })),
  )
  const host = await startHost({ client, agents: [greeter] })
  onTestFinished(() => host.stop())
  const outcomes = await Promise.all(jobs.map((job) => job.result()))
  expect(outcomes).toEqual(['ann', 'bob', 'eve'].map((name) => ({ greet: `hello ${name}` })))
})
