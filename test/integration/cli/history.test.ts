import { expect, it, onTestFinished } from 'vitest'
import { history } from '../../../src/cli/commands/jobs/history.js'
import { provision } from '../../../src/cli/commands/store/provision.js'
import { startEmulator } from '../../../src/emulator/index.js'
import { connect, defineWorkflow, startHost } from '../../../src/index.js'
import type { JobHistory } from '../../../src/sas/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const resting = defineWorkflow('resting', (job) => void job.sleep('rest', '1ms'))

it('prints what changed in a job, says how to keep versions, and shows the documents of a moment', async () => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const { endpoint, key } = emulator
  const store = { endpoint, key, limit: '100' }
  const { terminal, said, forget } = recordedTerminal()
  const host = await startHost({ endpoint, key, roles: ['scheduler', 'supervisor'], port: 0 })
  onTestFinished(() => host.stop())
  const client = await connect({ endpoint, key })
  onTestFinished(() => client.close())
  await (await client.submit(resting, {}, { jobId: 'before' })).result()
  await history('before', store, terminal)
  expect(said()).toMatch(/ended as Processed/)
  expect(said()).toContain('stepward provision --keep-versions 7d')

  await expect(provision({ ...store, keepVersions: '90s' }, terminal)).rejects.toThrow(
    '--keep-versions "90s" must be a whole number of minutes',
  )
  expect(await provision({ ...store, keepVersions: '7d' }, terminal)).toBe(0)
  expect(said()).toContain('all versions are kept for 7d')
  await (await client.submit(resting, {}, { jobId: 'after' })).result()
  forget()
  await history('after', store, terminal)
  expect(said()).toMatch(
    /MOMENT +AT +BY +DOCUMENT +WHAT CHANGED\n\d+ +2\S+ +the job +submitted: workflow resting/,
  )
  expect(said()).toMatch(/state Processing → Processed\n.*ended, after/)
  expect(said()).toMatch(/read for \d+\.\d RU/)
  forget()
  await history('after', { ...store, json: true }, terminal)
  const { source, moments, next } = JSON.parse(said()) as JobHistory
  expect([source, next]).toEqual(['versions', null])
  forget()
  await history('after', { ...store, moment: moments.at(-1)?.moment ?? '' }, terminal)
  expect(said()).toContain('"processState": "Processed"')
  await expect(history('after', { ...store, moment: '1', after: '2' }, terminal)).rejects.toThrow(
    'cannot be combined',
  )
  await expect(history('none', store, terminal)).rejects.toThrow('none')
})
