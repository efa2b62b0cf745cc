/** The process of the agent. `run.ts` starts it again each time it has killed it. */
import { startHost } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { assistant, research } from './index.js'

const [, , dataDirectory = ''] = process.argv
const cosmos = createInProcessCosmos({ dataDirectory })
const host = await startHost({
  embedded: cosmos,
  agents: [assistant],
  sweepInterval: 1_000,
  deadlineGrace: 100,
})
try {
  // Submitting again after a crash is harmless, because the goal is the id of the job.
  const job = await host.client.submit(research, { goal: 'the book' })
  const { words } = await job.result()
  process.stdout.write(`${words} words\n`)
} finally {
  await host.stop()
  await cosmos.close()
}
