import { describe, expect, it } from 'vitest'
import { jobPage, type JobQuestions } from '../../../../src/sas/store/job-pages.js'
import type { StateDocument, Stored } from '../../../../src/sas/store/state-store.js'

/** Returns the documents of jobs submitted at these times, and the queries about them, newest first. */
function jobsAt(times: readonly number[]) {
  const jobs = times.map((submittedAtMs, index): Stored<StateDocument> => ({
    id: `sas.job:${index}`,
    pk: 'p',
    submittedAtMs,
    _etag: 'e',
    _ts: 0,
  }))
  const asked: string[] = []
  const questions: JobQuestions = {
    newest: async (beforeMs, limit) => {
      asked.push(`newest ${limit}`)
      return jobs
        .filter((job) => beforeMs === null || Number(job['submittedAtMs']) < beforeMs)
        .slice(0, limit)
    },
    within: async (ms, afterId, limit) => {
      asked.push(`within ${limit}`)
      return jobs
        .filter((job) => job['submittedAtMs'] === ms && (afterId === null || job.id > afterId))
        .slice(0, limit)
    },
  }
  return { questions, asked }
}

describe('a page of jobs', () => {
  it('takes one query if the next job was submitted in another millisecond', async () => {
    const { questions, asked } = jobsAt([40, 30, 20, 10])
    const page = await jobPage(questions, null, 2)
    expect(page.map(({ id }) => id)).toEqual(['sas.job:0', 'sas.job:1'])
    expect(asked).toEqual(['newest 3'])
  })

  it('queries the last millisecond again if the next job was submitted in it', async () => {
    const { questions, asked } = jobsAt([40, 30, 30, 10])
    const page = await jobPage(questions, null, 2)
    expect(page.map(({ id }) => id)).toEqual(['sas.job:0', 'sas.job:1'])
    expect(asked).toEqual(['newest 3', 'within 1'])
  })

  it('takes one query if no job follows', async () => {
    const { questions, asked } = jobsAt([40, 30])
    expect(await jobPage(questions, null, 2)).toHaveLength(2)
    expect(asked).toEqual(['newest 3'])
  })
})
