import { describe, expect, it } from 'vitest'
import { defineAgent, defineWorkflow } from '../../src/sas/index.js'
import { JobFleet } from '../../src/testing/job-fleet.js'
import { World } from '../../src/testing/world.js'
import { oneHostPerRole, twoHosts } from './job-scene.js'
import { agentsHost, LineStage, minuteMs, supervisorHost } from './line-stage.js'

const oneHost = twoHosts.slice(0, 1)
const [first] = oneHost
const jobCount = 40

const hosts = [
  ['one host has all roles', oneHost],
  ['each role has its own host', oneHostPerRole],
] as const

describe('no step loses an attempt while it waits for a slot (I44)', () => {
  it.each([...hosts, ['two hosts have all roles', twoHosts] as const])('if %s', async (_where, hosts) => {
    const hanging = 7
    const stage = await new LineStage({ hosts, hanging: [hanging] }).begun(jobCount)
    await stage.untilEnded(jobCount)
    const lost = stage.ended.get(hanging)
    stage.ended.delete(hanging)
    expect(stage.ends()).toEqual({ done: jobCount - 1 })
    expect(stage.later()).toEqual([2, 3].map((attempt) => ({ number: hanging, attempt })))
    expect(lost?.as).toContain('given up after 3 failed attempts')
  })

  it.each(hosts)('and needs a claim, if %s', async (_where, hosts) => {
    const stage = await new LineStage({ hosts, claim: true }).begun(jobCount)
    await stage.untilEnded(jobCount)
    expect(stage.ends()).toEqual({ done: jobCount })
    expect(stage.calls).toHaveLength(jobCount)
  })

  it.each(hosts)(
    'and the store refuses all requests of agents for three seconds, if %s',
    async (_where, hosts) => {
      const isAway = (atMs: number) => atMs > 130_000 && atMs < 133_000
      const isRefused: ConstructorParameters<typeof LineStage>[0]['isRefused'] = ({ party, method }, atMs) =>
        isAway(atMs) && party === 'agents' && (method === 'read' || method === 'apply')
      const stage = await new LineStage({ hosts, tries: 1, isRefused }).begun(jobCount)
      await stage.untilEnded(jobCount)
      expect(stage.ends()).toEqual({ done: jobCount })
    },
  )

  it('and the supervisor cannot read the leases of the agents once', async () => {
    let refused = 0
    const stage = new LineStage({
      hosts: oneHostPerRole,
      tries: 1,
      isRefused: ({ process, party, method }, atMs) => {
        const isOne = refused === 0 && method === 'list' && party === 'agents' && atMs > 100_000
        if (!isOne || process.computer.name !== supervisorHost.computer.name) return false
        refused += 1
        return true
      },
    })
    await (await stage.begun(jobCount)).untilEnded(jobCount)
    expect(refused).toBe(1)
    expect(stage.ends()).toEqual({ done: jobCount })
  })

  it.each([
    ['stop, and start after ten seconds', 10_000],
    ['are stopped for two minutes', 2 * minuteMs],
  ])('and the agents %s', async (_what, awayMs) => {
    // With a single try, a job ends in Error if a stop counts as a failure.
    const stage = await new LineStage({ hosts: oneHostPerRole, tries: 1 }).begun(jobCount)
    await Promise.all([stage.fleet.stop(agentsHost.computer), stage.pass(awayMs)])
    stage.fleet.start(agentsHost.computer)
    await stage.untilEnded(jobCount)
    expect(stage.ends()).toEqual({ done: jobCount })
    // Only the two attempts that were under way are made again.
    expect(stage.later().length).toBeLessThanOrEqual(2)
    expect(stage.calls.length).toBeLessThanOrEqual(jobCount + 2)
  })

  it.each([
    ['the agents of a host of their own', oneHostPerRole, agentsHost],
    ['one of two hosts with all roles', twoHosts, first],
    ['the only host', oneHost, first],
  ] as const)('and a crash ends %s', async (_what, hosts, crashing) => {
    const stage = await new LineStage({ hosts }).begun(jobCount)
    if (crashing === undefined) throw new Error('there is no host')
    stage.fleet.processOn(crashing.computer)?.crash()
    stage.fleet.start(crashing.computer)
    await stage.pass(15 * minuteMs)
    expect(new Set(stage.calls.map(({ number }) => number)).size).toBe(jobCount)
    expect(stage.later().length).toBeLessThanOrEqual(2)
  })

  it('and two hosts with all roles restart one after the other', async () => {
    const stage = await new LineStage({ hosts: twoHosts }).begun(2 * jobCount)
    for (const { computer } of twoHosts) {
      await Promise.all([stage.fleet.stop(computer), stage.pass(10_000)])
      stage.fleet.start(computer)
      await stage.pass(minuteMs)
    }
    await stage.pass(15 * minuteMs)
    expect(new Set(stage.calls.map(({ number }) => number)).size).toBe(2 * jobCount)
    expect(stage.later().length).toBeLessThanOrEqual(4)
  })

  it.each([0, 8, 16, 24])('and a read of the feed is answered 8 s late, after %i s', async (shift) => {
    let late = 0
    const stage = new LineStage({
      hosts: oneHostPerRole,
      tries: 1,
      answerMs: ({ process, method }, atMs) => {
        const isOne = late === 0 && method === 'readNext' && atMs > minuteMs + shift * 1_000
        if (!isOne || process.computer.name !== agentsHost.computer.name) return 5
        late += 1
        return 8_000
      },
    })
    for (const { computer } of oneHostPerRole) stage.fleet.start(computer)
    await stage.pass(minuteMs + shift * 1_000 + 5_500)
    const numbers = [...Array(40).keys()]
    await Promise.all([...numbers.map((number) => stage.submit(number)), stage.untilEnded(40)])
    expect([late, stage.ends()]).toEqual([1, { done: 40 }])
  })
})

describe('a long line of one agent', () => {
  const work = { within: '1h', workMs: 30 * minuteMs, clerks: 2, slots: 8 } as const
  const [schedulerHost = agentsHost] = oneHostPerRole.filter(({ roles }) => roles[0] === 'scheduler')
  const together = { ...schedulerHost, roles: ['scheduler', 'agents'] as const }

  it.each([
    ['in the process of its scheduler', [together, supervisorHost]],
    ['on a host with all roles', oneHost],
  ])('does not hide an attempt of another agent that hangs, %s', async (_where, hosts) => {
    // The attempts begin although the feed is held up by the page of the line.
    const stage = await new LineStage({ hosts, ...work, hanging: [100] }).begun(60)
    const atMs = stage.world.time.monotonic()
    await Promise.all([stage.submit(100, {}, 'bank'), stage.pass(5 * minuteMs)])
    const attempts = stage.calls.flatMap(({ number, attempt }) => (number === 100 ? [attempt] : []))
    expect(attempts).toEqual([1, 2, 3])
    expect((stage.ended.get(100)?.atMs ?? Infinity) - atMs).toBeLessThan(2 * minuteMs)
  })

  it('does not delay for hours a step of another agent that was under way when the only host crashed', async () => {
    const stage = await new LineStage({ hosts: oneHost, ...work }).begun(60)
    await Promise.all([
      stage.submit(100, {}, 'bank'),
      stage.world.runUntil(() => stage.calls.some(({ number }) => number === 100), 10_000),
    ])
    if (first === undefined) throw new Error('there is no host')
    stage.fleet.processOn(first.computer)?.crash()
    stage.fleet.start(first.computer)
    await stage.pass(5 * minuteMs)
    expect(stage.calls.filter(({ number }) => number === 100).length).toBeGreaterThan(1)
  })
})

describe('a step whose range no instance reads', () => {
  it.each([false, true])(
    'is shown to operators, and begins when an instance comes (claim %s)',
    async (claim) => {
      const stage = await new LineStage({ hosts: oneHostPerRole, claim }).begun(0)
      await Promise.all([stage.fleet.stop(agentsHost.computer), stage.pass(10_000)])
      await Promise.all([stage.submit(0), stage.pass(10 * minuteMs)])
      const flag = async () => {
        const [listed] = await Promise.all([stage.client().list({}), stage.pass(1_000)])
        return listed[0]?.attention?.message ?? null
      }
      expect(await flag()).toBe('no agent "clerk" took the step within 20000 ms: check that one is running')
      stage.fleet.start(agentsHost.computer)
      await stage.untilEnded(1, 2 * minuteMs)
      expect(stage.ends()).toEqual({ done: 1 })
      expect(await flag()).toBeNull()
      expect(stage.calls).toEqual([{ number: 0, attempt: 1 }])
    },
  )
})

describe('a long line', () => {
  it('is no reason to overlook an attempt that hangs, even if the agents were behind when they began it', async () => {
    const others = oneHostPerRole.filter((host) => host !== agentsHost)
    const stage = new LineStage({ hosts: oneHostPerRole, hanging: [0] })
    for (const { computer } of others) stage.fleet.start(computer)
    await stage.pass(minuteMs)
    await Promise.all([stage.submit(0), stage.pass(7_000)])
    stage.fleet.start(agentsHost.computer)
    await stage.untilEnded(1, 5 * minuteMs)
    expect(stage.calls).toHaveLength(3)
    expect(stage.ended.get(0)?.as).toContain('given up after 3 failed attempts')
  })

  it.each(hosts)('does not stop the clock of a job with a time limit, if %s', async (_where, hosts) => {
    const stage = await new LineStage({ hosts }).begun(200)
    const atMs = stage.world.time.monotonic()
    await Promise.all([stage.submit(200, { completeWithin: '60s' }), stage.pass(2 * minuteMs)])
    expect(stage.ended.get(200)?.as).toContain('not done within 60000 ms')
    expect((stage.ended.get(200)?.atMs ?? Infinity) - atMs).toBeLessThan(2 * minuteMs)
  })

  it.each(hosts)('takes no time from a paused job, if %s', async (_where, hosts) => {
    const stage = await new LineStage({ hosts, tries: 1 }).begun(40)
    await Promise.all([stage.submit(40, { completeWithin: '60s' }), stage.pass(30_000)])
    // A pause lets a step that was dispatched before it go on.
    await Promise.all([stage.client().pause('job-40', 'a test', { by: 'ada' }), stage.pass(5 * minuteMs)])
    expect(stage.ended.get(40)?.as).toBe('done')
  })

  it('does not delay other work of a supervisor that gets no answer about the agents', async () => {
    let slow = 0
    const world: World = new World({
      seed: 1,
      fateOf: ({ method, party, process }) => {
        const isList = method === 'list' && party === 'agents' && world.time.monotonic() > minuteMs
        const isSlow = isList && slow === 0 && process.computer.name === supervisorHost.computer.name
        if (isSlow) slow += 1
        const delayMs = isSlow ? 15 * minuteMs : 0
        return { kind: 'answered', delayMs, answerDelayMs: 0, error: new Error('no answer') }
      },
    })
    const clerk = defineAgent('clerk', { file: (input: { readonly number: number }) => input })
    const filing = defineWorkflow<{ readonly number: number }>('filing', (job) => {
      const terms = { completeWithin: '20s', undo: 'none' } as const
      job.step('file', clerk.file, { number: job.input.number }, terms)
    })
    const napping = defineWorkflow('napping', (job) => {
      job.sleep('nap', '150s')
    })
    const rolesOn = (computer: { readonly name: string }) =>
      oneHostPerRole.find((host) => host.computer.name === computer.name)?.roles ?? []
    const fleet = new JobFleet(world, { agents: () => [clerk], slots: 2, rolesOn })
    for (const host of oneHostPerRole) if (host !== agentsHost) fleet.start(host.computer)
    await world.runUntil(() => false, minuteMs)
    const [process] = fleet.processes
    if (process === undefined) throw new Error('no process runs')
    const client = fleet.client(process)
    const submitted = [...Array(30).keys()].map((number) =>
      client.submit(filing, { number }, { jobId: `job-${number}` }),
    )
    let isAwake = false
    const woken = client
      .submit(napping, null, { jobId: 'nap' })
      .then((job) => job.result())
      .then(() => (isAwake = true))
    await world.runUntil(() => isAwake, 3 * minuteMs)
    expect([slow, isAwake]).toEqual([1, true])
    await Promise.all([...submitted, woken])
  })
})
