import { expect, it, onTestFinished, vi } from 'vitest'
import { status } from '../../../src/cli/commands/status.js'
import { JobClient, type JobSummary } from '../../../src/sas/index.js'
import { startEmulator } from '../../../src/emulator/index.js'
import { provision } from '../../../src/host/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const job = { state: 'Processed' } as JobSummary

it.each([
  [10_000, []],
  [10_001, ['stepward: there are more: only the newest 10,000 jobs are counted']],
])('counts %i jobs, and says when there are more than it counts', async (count, remarks) => {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  const { endpoint, key } = emulator
  await provision({ endpoint, key })
  const list = vi.spyOn(JobClient.prototype, 'list')
  onTestFinished(() => list.mockRestore())
  list.mockImplementation(({ limit = 0 } = {}) =>
    Promise.resolve(Array.from({ length: Math.min(count, limit) }, () => job)),
  )
  const { terminal, said, noted } = recordedTerminal()
  expect(await status(undefined, { endpoint, key, json: true }, terminal)).toBe(0)
  expect(said()).toContain('"Processed":10000')
  expect(noted).toEqual(remarks)
})
