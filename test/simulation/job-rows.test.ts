import { describe, expect, it } from 'vitest'
import { stateContainer, type Role } from '../../src/testing/job-fleet.js'
import type { SimulationEvent } from '../../src/testing/events.js'
import type { Request } from '../../src/testing/network.js'
import type { SimulatedProcess } from '../../src/testing/simulated-process.js'
import { storeError } from '../../src/testing/store-error.js'
import { brokenBy } from './crash-points.js'
import { faultFrom } from '../../src/testing/fault-place.js'
import {
  faultCostMs,
  JobScene,
  oneHostPerRole,
  twoHosts,
  withNotifier,
  type Host,
  type JobSceneOptions,
} from './job-scene.js'
import { CallRecorder } from './call-recorder.js'
import { stepDeadlineMs, type Scenario } from './scenario.js'
import { scenarioNamed } from './scenarios.js'

const minuteMs = 60_000
/** The scheduler's shortest poll interval, after activity. */
const shortestPollMs = 10

/**
 * Returns a scene with one job and one host for each role. Crashed hosts restart. Only the requested faults
 * happen.
 */
function sceneOf(scenario: Scenario, options: Partial<JobSceneOptions> = {}): JobScene {
  const stories = [{ jobId: 'job-1', scenario, atMs: 0 }]
  const scene = new JobScene({ seed: 1, hosts: oneHostPerRole, stories, ...options })
  scene.start()
  scene.keepRunning()
  return scene
}

const happy = scenarioNamed('happy')
const slow = { ...happy, workMs: 5_000 }

/** Returns the same hosts, with a clock error on those with this role. */
function skewed(role: Role, skewMs: number): readonly Host[] {
  return oneHostPerRole.map((host) =>
    host.roles.includes(role) ? { ...host, computer: { ...host.computer, skewMs } } : host,
  )
}

function processOf(scene: JobScene, role: Role): SimulatedProcess {
  const process = scene.fleet.processes.find(({ computer }) => computer.name === `${role}-host`)
  if (process === undefined) throw new Error(`no instance is ${role}`)
  return process
}

/** Resolves once a step's attempt has begun. */
async function begun(scene: JobScene, stepId: string): Promise<void> {
  const isBegun = (): boolean => scene.checker.jobs.get('job-1')?.steps[stepId]?.state === 'Processing'
  if (!(await scene.world.runUntil(isBegun, minuteMs))) throw new Error(`${stepId} was not dispatched`)
}

/** Freezes the process for this time from now on. */
function freeze(scene: JobScene, process: SimulatedProcess, ms: number): void {
  process.pause()
  scene.world.time.schedule(ms, () => process.resume())
}

/** Returns a predicate that is true only for the first matching request. */
function once(fits: (request: Request) => boolean): (request: Request) => boolean {
  let isOver = false
  return (request) => {
    if (isOver || !fits(request)) return false
    isOver = true
    return true
  }
}

function isReportOfFailure({ writePoint, args }: Request): boolean {
  return writePoint === 'W3' && JSON.stringify(args).includes('is busy')
}

function failuresOf(scene: JobScene): readonly number[] {
  const job = scene.checker.jobs.get('job-1')
  if (job === undefined) throw new Error('the job is not stored')
  return [...scene.checker.stepsOf(job).values()].map(({ failureCount }) => failureCount)
}

describe('one crash (R70)', () => {
  it.each([
    ['F-S1 before a submission is stored', 'happy', 'crashBefore@W0#1'],
    ['F-Q2 after a job is claimed', 'happy', 'crashAfter@W1#1'],
    ['F-A4 after an outcome is stored', 'happy', 'crashAfter@W3#1'],
    ['F-D1 before an outcome is taken over', 'happy', 'crashBefore@W4#1'],
    ['F-D2 after it is taken over', 'happy', 'crashAfter@W4#1'],
    ['F-R1 before the next round', 'repeat', 'crashBefore@W4#2'],
    ['F-R1 after the next round', 'repeat-together', 'crashAfter@W4#2'],
    ['F-R2 before the time of the next round', 'repeat', 'crashBefore@W6#1'],
    ['F-G1 after a step has entered a limit', 'gate', 'crashAfter@W13#1'],
    ['F-G2 before a place is freed', 'gate', 'crashBefore@W13#4'],
    ['F-G3 after a waiting step was let in', 'gate', 'crashAfter@W13#4'],
    ['F-G12 after a rate has reserved a time', 'gate-rate', 'crashAfter@W13#2'],
    ['F-G4 after another has changed the limit', 'gate', 'rival@W13#2'],
    ['F-P17 while a supervisor pauses the jobs', 'workflow-paused-waits', 'crashAfter@W6#1'],
    ['F-V3 before a recovery', 'retry', 'crashBefore@W6#1'],
    ['F-V3 after a recovery', 'retry', 'crashAfter@W6#1'],
  ])('changes neither the end of a job nor an invariant (%s)', async (_row, scenario, fault) => {
    expect(await brokenBy(scenario, [faultFrom(fault)])).toEqual([])
  })

  it.each([
    ['F-A3 between effect and outcome', 'happy', 'crashBefore@W3#1', ['done', 'repeated']],
    // The first undo is for the step that was refused in the same second in which its agents got their lease.
    ['F-K5 between an undo and its outcome', 'compensate', 'crashBefore@W8#2', ['undone', 'nothing to undo']],
  ])(
    'makes an agent call a service twice with one key, and the service acts once (%s, I21)',
    async (_row, scenario, fault, effects) => {
      const scene = sceneOf(scenarioNamed(scenario), { faults: { planned: [faultFrom(fault)] } })
      const calls = new CallRecorder()
      scene.world.watch(calls)
      expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
      expect(calls.effectsByKey()).toContainEqual(effects)
    },
  )
})

describe('a submitter with a reply address', () => {
  it.each([
    ['F-N1 before it is sent', 'crashBefore@N#1', [1, 2, 3, 4, 5]],
    ['F-N1 between that and the note of it', 'crashBefore@W11#1', [1, 1, 2, 3, 4, 5]],
    ['F-N2 while another is noted', 'rival@W11#2', [1, 2, 2, 3, 4, 5]],
    ['F-N3 and the receiver is away', 'refused@N#3', [1, 2, 3, 4, 5]],
  ])('receives every notice in order despite a fault (%s, I13)', async (_row, fault, arrivals) => {
    const faults = { planned: [faultFrom(fault)] }
    const scene = sceneOf(scenarioNamed('notified'), { hosts: withNotifier, faults })
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
    expect(scene.mailbox.arrivals('job-1')).toEqual(arrivals)
  })
})

describe('a service that does not recognise keys', () => {
  it('has at most one effect for each attempt (F-A21, I21)', async () => {
    const scene = sceneOf(happy, { faults: { planned: [faultFrom('crashBefore@W3#1')] } })
    const calls = new CallRecorder()
    scene.world.watch(calls)
    await scene.world.runUntil(() => calls.calls.length > 0, minuteMs)
    scene.services.effects.clear()
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
    expect(calls.effectsByKey()).toEqual([['done', 'done'], ['done'], ['done']])
  })
})

describe('an outcome that is on its way when the deadline passes', () => {
  it.each([
    ['F-A9 a success before the supervisor acts', 'happy', 500, [0, 0, 0]],
    ['F-A9 a success after it has acted', 'happy', 15_000, [1, 0, 0]],
    ['F-A15 a reported failure after it has acted', 'retry', 15_000, [0, 1, 0]],
  ])(
    'races with the recovery, and only one of the two writes counts, once (%s, I2, I4)',
    async (_row, name, lateMs, failures) => {
      const isLate = once((request) =>
        name === 'happy' ? request.writePoint === 'W3' : isReportOfFailure(request),
      )
      const scene = sceneOf(scenarioNamed(name), {
        faults: {
          scripted: (request) =>
            isLate(request) ? { kind: 'answered', delayMs: stepDeadlineMs + lateMs } : null,
        },
      })
      expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
      expect(failuresOf(scene)).toEqual(failures)
    },
  )

  it.each([-1_500, 1_500])(
    'counts neither late nor twice when clocks differ by %i ms (F-A8)',
    async (skewMs) => {
      const atTheEdge = { ...happy, workMs: stepDeadlineMs - 1_000 }
      const scene = sceneOf(atTheEdge, { hosts: skewed('agents', skewMs), areEndsKnown: false })
      const report = await scene.finish(10 * minuteMs)
      expect(report).toMatchObject({ problems: [], lateOutcomes: 0 })
    },
  )
})

describe('two hosts with every role', () => {
  it('share the jobs of two partitions, and both schedule jobs and run steps (R51, R81, R127)', async () => {
    const stories = Array.from({ length: 8 }, (_, index) => ({
      jobId: `job-${index}`,
      scenario: happy,
      atMs: minuteMs,
    }))
    const scene = sceneOf(happy, { hosts: twoHosts, stories, partitionCount: 2 })
    const driving = new Set<string>()
    const isOver = (): boolean => {
      for (const { lockedBy } of scene.checker.jobs.values()) if (lockedBy !== null) driving.add(lockedBy)
      return false
    }
    await scene.world.runUntil(isOver, 2 * minuteMs)
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
    expect([...driving].sort()).toEqual(['host-0', 'host-1'])
    const steps = [...scene.checker.jobs.values()].flatMap((job) => [...scene.checker.stepsOf(job).values()])
    expect(new Set(steps.map(({ outcome }) => outcome?.by))).toEqual(new Set(['host-0', 'host-1']))
  })
})

describe('a job that is submitted in the process of a host', () => {
  /**
   * Returns how long a job waits until it is begun, and which host begins it, when its customer is on this
   * host.
   */
  const submittedOn = async (computer: Host['computer'] | undefined) => {
    const inside = computer === undefined ? {} : { inside: computer }
    const stories = [{ jobId: 'job-1', scenario: happy, atMs: minuteMs / 2, ...inside }]
    const scene = sceneOf(happy, { hosts: twoHosts, stories })
    // A submission that begins its job is acknowledged after the job has begun.
    let acceptedAtMs = Infinity
    const check = (event: SimulationEvent): readonly string[] => {
      if (event.type === 'acknowledged') acceptedAtMs = scene.world.time.monotonic()
      return []
    }
    scene.world.watch({ check })
    await begun(scene, 'reserve')
    const laidMs = Math.max(0, scene.world.time.monotonic() - acceptedAtMs)
    const by = scene.checker.jobs.get('job-1')?.lockedBy
    expect(await scene.finish(5 * minuteMs)).toMatchObject({ problems: [] })
    return { laidMs, by }
  }

  it('begins at once if that host holds its feed range, else at the next poll of the holder', async () => {
    const elsewhere = await submittedOn(undefined)
    const holder = twoHosts.find(({ computer }) => computer.name === elsewhere.by)
    const other = twoHosts.find((host) => host !== holder)
    const [there, beside] = [await submittedOn(holder?.computer), await submittedOn(other?.computer)]
    expect([there.by, beside.by]).toEqual([elsewhere.by, elsewhere.by])
    expect(beside.laidMs).toBe(elsewhere.laidMs)
    expect(elsewhere.laidMs).toBeGreaterThan(shortestPollMs)
    expect(there.laidMs).toBe(0)
  })

  it.each([
    ['F-S2 after its submission has begun it', 'crashAfter@W0#1'],
    ['F-S3 and the answer is lost', 'answerLost@W0#1'],
  ])('ends as usual if a fault comes (%s, I1)', async (_row, fault) => {
    const { by } = await submittedOn(undefined)
    const inside = twoHosts.find(({ computer }) => computer.name === by)?.computer
    const stories = [
      { jobId: 'job-1', scenario: happy, atMs: minuteMs / 2, ...(inside === undefined ? {} : { inside }) },
    ]
    const faults = { planned: [faultFrom(fault)] }
    const scene = sceneOf(happy, { hosts: twoHosts, stories, faults })
    await scene.world.runUntil(() => scene.checker.jobs.has('job-1'), minuteMs)
    expect(scene.checker.jobs.get('job-1')?.lockedBy).toBe(by)
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
  })
})

describe('a process that is frozen', () => {
  it('writes nothing with outdated etags if it is a scheduler (F-Q6)', async () => {
    const scene = sceneOf(slow)
    await begun(scene, 'reserve')
    freeze(scene, processOf(scene, 'scheduler'), 2 * minuteMs)
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
  })

  it('writes no outcome after the deadline if it runs agents (F-A13, I3)', async () => {
    const scene = sceneOf({ ...slow, workMs: 20_000 })
    await begun(scene, 'reserve')
    // The agents poll at least every 5 s, so the handler of the step works then.
    await scene.world.runUntil(() => false, 8_000)
    freeze(scene, processOf(scene, 'agents'), 90_000)
    expect(await scene.finish(5 * minuteMs)).toMatchObject({ problems: [], lateOutcomes: 0 })
    expect(failuresOf(scene)[0]).toBeGreaterThan(0)
  })

  it('costs no attempt if it runs agents that have not begun the attempt (I44)', async () => {
    const scene = sceneOf(slow)
    await begun(scene, 'reserve')
    freeze(scene, processOf(scene, 'agents'), 90_000)
    expect(await scene.finish(5 * minuteMs)).toMatchObject({ problems: [], lateOutcomes: 0 })
    expect(failuresOf(scene)[0]).toBe(0)
  })

  it('recovers overdue steps on its return if it is a supervisor (F-V22)', async () => {
    const scene = sceneOf(scenarioNamed('retry'))
    await begun(scene, 'reserve')
    freeze(scene, processOf(scene, 'supervisor'), 10 * minuteMs)
    await scene.world.runUntil(() => false, 9 * minuteMs)
    expect(scene.checker.jobs.get('job-1')?.steps['charge']?.state).toBe('Processing')
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
  })
})

describe('a wrong clock', () => {
  it.each([-3_600_000, 3_600_000])(
    'makes no agent record a late outcome when it jumps by %i ms during an attempt (F-A27)',
    async (jumpMs) => {
      const scene = sceneOf(slow, { areEndsKnown: false })
      await begun(scene, 'reserve')
      processOf(scene, 'agents').setWallClock(jumpMs)
      scene.world.time.schedule(minuteMs, () => processOf(scene, 'agents').setWallClock(-jumpMs))
      expect(await scene.finish(10 * minuteMs)).toMatchObject({ problems: [], lateOutcomes: 0 })
    },
  )

  it('breaks no invariant when the supervisor is ahead (F-V6)', async () => {
    const scene = sceneOf(slow, { hosts: skewed('supervisor', 5 * minuteMs), areEndsKnown: false })
    expect(await scene.finish(10 * minuteMs)).toMatchObject({ problems: [], lateOutcomes: 0 })
  })

  it('only delays the recovery when the supervisor is behind (F-V7)', async () => {
    const scene = sceneOf(scenarioNamed('retry'), { hosts: skewed('supervisor', -5 * minuteMs) })
    expect((await scene.finish(10 * minuteMs)).problems).toEqual([])
    expect(scene.world.time.monotonic()).toBeGreaterThan(5 * minuteMs)
  })
})

describe('a stale read', () => {
  it('in a sweep does not keep an overdue step from being recovered (F-V8, F-V9)', async () => {
    const scene = sceneOf(scenarioNamed('retry'), {
      faults: {
        planned: [faultFrom('crashBefore@W6#1')],
        scripted: ({ method }) => (method === 'listOverdue' ? { kind: 'stale' } : null),
      },
    })
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
    expect(scene.faults.counts.get('stale listOverdue')).toBeGreaterThan(0)
  })

  it('in a scheduler breaks no invariant (F-C7, F-X13)', async () => {
    const scene = sceneOf(
      { ...happy, workMs: 20_000 },
      {
        faults: {
          scripted: ({ method, party }) =>
            party === 'scheduler' && method === 'read' ? { kind: 'stale' } : null,
        },
      },
    )
    await begun(scene, 'charge')
    await scene.world.runUntil(() => false, 10_000)
    processOf(scene, 'scheduler').crash()
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
    expect(scene.faults.counts.get('stale read')).toBeGreaterThan(0)
  })
})

describe('a store', () => {
  it('that is down past every deadline costs each step at most one attempt (F-X1, F-V12)', async () => {
    const awayMs = { from: Infinity, to: Infinity }
    const scene: JobScene = sceneOf(slow, {
      faults: {
        scripted: () => {
          const now = scene.world.time.now()
          return now >= awayMs.from && now < awayMs.to ? { kind: 'refused', error: storeError(503) } : null
        },
      },
    })
    await begun(scene, 'charge')
    Object.assign(awayMs, { from: scene.world.time.now(), to: scene.world.time.now() + 3 * minuteMs })
    expect((await scene.finish(10 * minuteMs)).problems).toEqual([])
    expect(Math.max(...failuresOf(scene))).toBeLessThanOrEqual(1)
  })

  describe('that throttles one partition key', () => {
    /**
     * Returns a scene with a few jobs on one feed range. One of them is throttled from the moment it is
     * stored, as long as `isHot` is true.
     */
    function withHotJob(options: Partial<JobSceneOptions> = {}): { scene: JobScene; cool: () => void } {
      let isHot = true
      const stories = ['job-1', 'job-2', 'job-3'].map((jobId, index) => ({
        jobId,
        scenario: happy,
        atMs: index * minuteMs,
      }))
      const scene = sceneOf(happy, {
        stories,
        faults: {
          scripted: ({ method, args }) =>
            isHot && method === 'apply' && args[0] === 'job-1' && scene.checker.jobs.has('job-1')
              ? { kind: 'refused', error: storeError(429, { retryAfterInMs: 1_000 }) }
              : null,
        },
        ...options,
      })
      return { scene, cool: () => void (isHot = false) }
    }

    const stateOf = (scene: JobScene, jobId: string) => scene.checker.jobs.get(jobId)?.processState
    const areOthersDone = (scene: JobScene) => (): boolean =>
      stateOf(scene, 'job-2') === 'Processed' && stateOf(scene, 'job-3') === 'Processed'

    it('lets other jobs of the range end, and the throttled job once it is served (F-X2, I8)', async () => {
      const { scene, cool } = withHotJob()
      // The last job is submitted after two minutes. Each step takes a poll of three feeds.
      expect(await scene.world.runUntil(areOthersDone(scene), 2 * minuteMs + faultCostMs)).toBe(true)
      expect(stateOf(scene, 'job-1')).toBe('Pending')
      cool()
      expect((await scene.finish(faultCostMs)).problems).toEqual([])
    })

    it('delivers the throttled job to the next owner when the scheduler crashes (F-X2, I10)', async () => {
      const { scene, cool } = withHotJob()
      await scene.world.runUntil(areOthersDone(scene), 5 * minuteMs)
      processOf(scene, 'supervisor').pause()
      processOf(scene, 'scheduler').crash()
      cool()
      const isDispatched = (): boolean => stateOf(scene, 'job-1') === 'Processing'
      expect(await scene.world.runUntil(isDispatched, faultCostMs)).toBe(true)
      processOf(scene, 'supervisor').resume()
      expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
    })
  })
})

describe('a partition that splits', () => {
  /** Returns a scene that splits the only partition when the first of these requests is sent to the store. */
  function splittingAt(scenario: Scenario, fits: (request: Request) => boolean): JobScene {
    const isDue = once(fits)
    const scene: JobScene = sceneOf(scenario, {
      faults: {
        scripted: (request) => {
          const container = scene.world.container(stateContainer)
          const [partition] = container.partitions
          if (isDue(request) && partition !== undefined) container.splitPartition(partition.id)
          return null
        },
      },
    })
    return scene
  }

  it('stores a batch that is on its way to it as a whole (F-P9)', async () => {
    const scene = splittingAt(happy, ({ writePoint }) => writePoint === 'W1')
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
    expect(scene.world.container(stateContainer).partitions).toHaveLength(2)
  })

  it('does not make supervisors forget a deadline (F-P11)', async () => {
    const scene = splittingAt(scenarioNamed('retry'), isReportOfFailure)
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
    expect(failuresOf(scene)).toEqual([0, 1, 0])
  })
})

describe('a job that needs a person', () => {
  it('stays flagged with its reason until a person acts (F-V20, R95, I15)', async () => {
    const scene = sceneOf(scenarioNamed('exhaust'))
    expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
    const given = scene.checker.jobs.get('job-1')
    await scene.world.runUntil(() => false, 10 * minuteMs)
    expect(scene.checker.jobs.get('job-1')).toEqual(given)
    expect(given).toMatchObject({ processState: 'Error', attention: { stepId: 'charge' } })
  })
})

describe('agents that are killed on a computer whose processes see each other', () => {
  const seeing = ({ computer, roles }: Host): Host => ({
    computer: { ...computer, seesProcesses: true },
    roles,
  })
  const apart = oneHostPerRole.map(seeing)
  const together = twoHosts.slice(0, 1).map(seeing)

  it.each<[name: string, hosts: readonly Host[], scenario: Scenario]>([
    ['in a process of their own', apart, slow],
    ['with the other roles', together, slow],
    ['after they claimed the attempt', apart, { ...scenarioNamed('claimed'), workMs: 5_000 }],
  ])(
    'leave their attempt to their successor long before its deadline, %s (F-A31)',
    async (...[, hosts, of]) => {
      const scene = sceneOf(of, { hosts })
      const calls = new CallRecorder()
      scene.world.watch(calls)
      await begun(scene, 'reserve')
      // By now the checkpoint is behind the step, so the feed alone would not deliver it again.
      await scene.world.runUntil(() => false, 4_000)
      const host = hosts.find(({ roles: own }) => own.includes('agents'))?.computer
      if (host === undefined) throw new Error('no host runs agents')
      scene.fleet.processOn(host)?.crash()
      scene.fleet.start(host)
      const isDone = (): boolean => scene.checker.jobs.get('job-1')?.steps['reserve']?.state === 'Processed'
      expect(await scene.world.runUntil(isDone, (of.workMs ?? 0) + 3_000)).toBe(true)
      expect((await scene.finish(5 * minuteMs)).problems).toEqual([])
      expect(new Set(failuresOf(scene))).toEqual(new Set([0]))
    },
  )
})
