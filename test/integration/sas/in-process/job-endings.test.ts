import { describe, expect, it } from 'vitest'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { JobEndings, type EndedJob, type WakeUps } from '../../../../src/sas/in-process/job-endings.js'
import { aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

describe('the endings of jobs', () => {
  const ended = (job: { readonly pk: string; readonly jobId: string }) =>
    ({ job, steps: null }) as unknown as EndedJob

  it('reach every listener of the job until it unsubscribes', () => {
    const endings = new JobEndings()
    const heard: string[] = []
    const job = { pk: 'p', jobId: 'j' }
    const stopFirst = endings.subscribe(job, () => heard.push('first'))
    const stopSecond = endings.subscribe(job, () => heard.push('second'))
    endings.tell(ended({ pk: 'p', jobId: 'other' }))
    expect(heard).toEqual([])
    endings.tell(ended(job))
    stopFirst()
    endings.tell(ended(job))
    stopSecond()
    endings.tell(ended(job))
    expect(heard).toEqual(['first', 'second', 'second'])
  })

  it('do not reach listeners of a job with the same id in another partition', () => {
    const endings = new JobEndings()
    const heard: EndedJob[] = []
    endings.subscribe({ pk: 'p', jobId: 'j' }, (job) => heard.push(job))
    endings.tell(ended({ pk: 'q', jobId: 'j' }))
    expect(heard).toEqual([])
  })

  it('have a listener only while a caller waits for the result', async () => {
    const { store, queries, clock, telemetry } = new StateWorld()
    const endings = new JobEndings()
    let listeners = 0
    const wakeUps: WakeUps = {
      subscribe: (job, listener) => {
        listeners += 1
        const stop = endings.subscribe(job, listener)
        return () => {
          listeners -= 1
          stop()
        }
      },
    }
    const job = await new JobClient({ store, queries, clock, telemetry, wakeUps }).submit(
      aWorkflow(),
      {},
      { jobId: 'j' },
    )
    const stopping = new AbortController()
    const waiting = expect(job.result({ signal: stopping.signal })).rejects.toThrow('enough')
    await clock.advance(10_000)
    expect(listeners).toBe(1)
    stopping.abort(new Error('enough'))
    await waiting
    expect(listeners).toBe(0)
  })
})
