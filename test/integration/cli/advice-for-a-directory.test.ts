import { expect, it } from 'vitest'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { watch } from '../../../src/cli/commands/jobs/watch.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { startHost } from '../../../src/host/index.js'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

const bank = defineAgent('bank', {
  pay: (): never => {
    throw new Error('the line is down')
  },
})
const buying = defineWorkflow('buying', (job) => {
  job.step('pay', bank.pay, {}, { undo: 'none', retry: { tries: 1 } })
})

const suggesting = [
  ['status', status],
  ['watch', watch],
] as const

it.each(suggesting)('the command that `%s` suggests names the data directory', async (_name, command) => {
  const data = scratchDirectory()
  const cosmos = createInProcessCosmos({ dataDirectory: data })
  const host = await startHost({ embedded: cosmos, agents: [bank] })
  const job = await host.client.submit(buying, {}, { jobId: 'failed' })
  await expect(job.result()).rejects.toThrow('down')
  await host.stop()
  await cosmos.close()
  const { terminal, said } = recordedTerminal()
  await command('failed', { data }, terminal)
  expect(said()).toContain(`stepward resubmit failed --why TEXT --data ${data}`)
})
