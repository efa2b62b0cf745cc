import { describe, expect, it } from 'vitest'
import { faultFrom } from '../../src/testing/fault-place.js'
import { CallRecorder } from './call-recorder.js'
import { JobScene, oneHostPerRole, twoHosts, type JobSceneOptions } from './job-scene.js'
import { stepDeadlineMs } from './scenario.js'
import { scenarioNamed } from './scenarios.js'

const minuteMs = 60_000
/** A scenario in which each step takes far longer than its deadline, and asks for more time before it. */
const long = { ...scenarioNamed('happy'), workMs: 3 * stepDeadlineMs, progressEveryMs: 15_000 }

/**
 * Runs the job to its end, or until an invariant is broken. Returns the attempts that called the services,
 * and their effects.
 */
async function ended(options: Partial<JobSceneOptions> = {}) {
  const stories = [{ jobId: 'job-1', scenario: long, atMs: 0 }]
  const scene = new JobScene({ seed: 1, hosts: oneHostPerRole, stories, ...options })
  const calls = new CallRecorder()
  scene.world.watch(calls)
  scene.start()
  scene.keepRunning()
  const { problems } = await scene.finish(30 * minuteMs)
  const job = scene.checker.jobs.get('job-1')
  const steps = job === undefined ? [] : [...scene.checker.stepsOf(job).values()]
  const failures = steps.reduce((sum, { failureCount }) => sum + failureCount, 0)
  return { problems, failures, effects: calls.effectsByKey() }
}

const onceEach = [['done'], ['done'], ['done']]

describe('steps that each take three deadlines (F-A25)', () => {
  it.each([
    ['on one host for each role', oneHostPerRole],
    ['on two hosts that share the work', twoHosts],
  ])('are done by one attempt each %s, while the agents extend their deadlines', async (_where, hosts) => {
    expect(await ended({ hosts })).toEqual({ problems: [], failures: 0, effects: onceEach })
  })

  it.each(['crashBefore@W2#2', 'crashAfter@W2#2'])(
    'are done by the next attempt when the agents crash during an extension (%s)',
    async (fault) => {
      const { problems, failures } = await ended({ faults: { planned: [faultFrom(fault)] } })
      expect({ problems, failures }).toEqual({ problems: [], failures: 1 })
    },
  )

  it('are done by the same attempt when the agents crash right after they marked it as begun', async () => {
    const { problems, failures } = await ended({ faults: { planned: [faultFrom('crashAfter@W2#1')] } })
    expect({ problems, failures }).toEqual({ problems: [], failures: 0 })
  })

  it.each(['answerLost@W2#2', 'requestLost@W2#2', 'rival@W2#2', 'refused@W2#2'])(
    'lose no attempt when the write of an extension goes wrong (%s, F-A26)',
    async (fault) => {
      const report = await ended({ faults: { planned: [faultFrom(fault)] } })
      expect(report).toEqual({ problems: [], failures: 0, effects: onceEach })
    },
  )
})
