import { startHost } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { urlVariable } from '../remote-service/ask.js'
import { startRemoteService } from '../remote-service/index.js'
import { databases, provisionSite, websites } from './index.js'
import { Story } from './story.js'

/** A remote service that loses the first request for a website: it does nothing and sends no answer. */
const remote = await startRemoteService(({ kind, number }) =>
  kind === 'website' && number === 1 ? 'silent' : 'done',
)
process.env[urlVariable] = remote.url
const cosmos = createInProcessCosmos()
const host = await startHost({
  embedded: cosmos,
  agents: [databases, websites],
  sweepInterval: 5_000,
  deadlineGrace: 100,
  telemetry: new Story((line) => process.stdout.write(`${line}\n`)),
})
try {
  const job = await host.client.submit(provisionSite, { site: 'contoso' })
  await job.result()
  const { state, steps } = await job.view()
  for (const { stepId, currentState, failureCount } of steps) {
    const attempts = failureCount + 1
    process.stdout.write(
      `${stepId} is ${currentState}, after ${attempts} attempt${attempts > 1 ? 's' : ''}\n`,
    )
  }
  const effects = remote.effects().map(({ kind }) => kind)
  process.stdout.write(`the job is ${state}; the remote services made: ${effects.join(', ')}\n`)
} finally {
  await host.stop()
  await cosmos.close()
  await remote.close()
}
