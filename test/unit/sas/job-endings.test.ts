import { describe, expect, it } from 'vitest'
import { JobClient } from '../../../src/sas/job-client.js'
import { JobEndings } from '../../../src/sas/job-endings.js'
import { aWorkflow } from '../../support/a-job.js'
import { StateWorld } from '../../support/state-world.js'

const finished = (jobId: string) =>
  ({ type: 'job.finished', jobId, workflow: 'shopping', state: 'Processed' }) as const

describe('the endings of jobs', () => {
  it('are told to everybody who listens for that job, until they stop', () => {
    const endings = new JobEndings()
    const heard: string[] = []
    const stopFirst = endings.subscribe('j', () => heard.push('first'))
    const stopSecond = endings.subscribe('j', () => heard.push('second'))
    endings.emit(finished('other'))
    endings.emit({ type: 'step.started', jobId: 'j', workflow: 'shopping', stepId: 'pay', attempt: 1 })
    expect(heard).toEqual([])
    endings.emit(finished('j'))
    stopFirst()
    endings.emit(finished('j'))
    stopSecond()
    endings.emit(finished('j'))
    expect(heard).toEqual(['first', 'second', 'second'])
  })

  it('are listened for only as long as somebody waits', async () => {
    const { store, clock, telemetry } = new StateWorld()
    const endings = new JobEndings()
    let listeners = 0
    const wakeUps = {
      subscribe: (jobId: string, listener: () => void) => {
        listeners += 1
        const stop = endings.subscribe(jobId, listener)
        return () => {
          listeners -= 1
          stop()
        }
      },
    }
    const job = await new JobClient({ store, clock, telemetry, wakeUps }).submit(
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
