import { expect, it } from 'vitest'
import { JobSelection, type SingleCommands } from '../../../../src/sas/client/job-selection.js'
import type { JobFilter } from '../../../../src/sas/store/filters/job-filter.js'

it('a command that is stopped while it looks for jobs reads no more pages, and begins on no job', async () => {
  const stopping = new AbortController()
  const reads: JobFilter[] = []
  const called: string[] = []
  const commands = {
    list: (filter: JobFilter) => {
      reads.push(filter)
      if (reads.length === 2) stopping.abort()
      const jobs = Array.from({ length: 500 }, (_, index) => ({ jobId: `J-${index}`, state: 'Pending' }))
      return Promise.resolve(reads.length > 3 ? [] : jobs)
    },
    cancel: (jobId: string) => {
      called.push(jobId)
      return Promise.resolve()
    },
  } as unknown as SingleCommands
  const selection = new JobSelection(commands, {}, { clock: { now: () => 0 }, queries: {} as never })
  const totals: number[] = []
  const report = await selection.cancel('late', {
    dryRun: true,
    signal: stopping.signal,
    onProgress: (_done, total) => totals.push(total),
  })
  expect([reads.length, called, totals]).toEqual([2, [], []])
  expect(report).toEqual({ isDryRun: true, done: [], refused: [] })
})
