import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/platform/index.js'
import { TelemetryRecorder } from '../../src/telemetry/index.js'
import { storeError } from '../support/intercepted.js'
import type { Request } from '../../src/testing/network.js'
import { leases, monitored } from './processor-unit.js'
import { Scene } from './scene.js'
import {
  faultsAt,
  first,
  host,
  minuteMs,
  ownerIn,
  restartCrashed,
  sceneWith,
  second,
  stopIn,
} from './two-hosts.js'
import type { PlannedFault, ScriptedFault } from '../../src/testing/faults.js'

describe('a deployment unit with faults at one write', () => {
  it.each<[name: string, planned: PlannedFault[]]>([
    ['F-L1 the first leases are created, and the answers lost', faultsAt('L1', [1, 2, 3, 4], 'answerLost')],
    ['F-L1 the first leases are asked for in vain', faultsAt('L1', [1, 2, 4], 'requestLost')],
    ['F-L2 crash with the lock, before any lease', faultsAt('L1', [1], 'crashAfter')],
    ['F-L2 crash between the leases', faultsAt('L1', [4], 'crashBefore')],
    ['F-L2 crash after the leases, before the marker', faultsAt('L1', [5], 'crashBefore')],
    ['F-L2 crash after the marker, with the lock', faultsAt('L1', [6], 'crashBefore')],
    ['F-L6 acquired, and the answer is lost', faultsAt('L2', [1, 2, 3], 'answerLost')],
    ['F-L6 not acquired, and the request is lost', faultsAt('L2', [1, 2, 3], 'requestLost')],
    ['F-L5 crash after an acquisition', faultsAt('L2', [1], 'crashAfter')],
    ['F-L7 renewals fail for less than the trust window', faultsAt('L3', [1, 2, 3], 'refused')],
    ['F-L7 a renewal is applied, and the answer lost', faultsAt('L3', [1, 2], 'answerLost')],
    ['F-L12 a checkpoint is stored, and the answer lost', faultsAt('L4', [1, 2, 4], 'answerLost')],
    ['F-L12 a checkpoint is not stored, and the request is lost', faultsAt('L4', [1, 2, 4], 'requestLost')],
    ['R141 F-L13 F-C1 crash after the delegate, before the checkpoint', faultsAt('L4', [3], 'crashBefore')],
    ['F-L30 crash after several pages and no checkpoint', faultsAt('L4', [1, 2], 'crashBefore')],
    ['F-L17 crash after a checkpoint, and back under the same name', faultsAt('L4', [2], 'crashAfter')],
  ])('breaks no invariant, and recovers: %s', async (_name, planned) => {
    const scene = sceneWith({ faults: { planned } })
    await scene.pass(minuteMs)
    restartCrashed(scene)
    await scene.pass(3 * minuteMs)
    restartCrashed(scene)
    const { problems, faults } = await scene.recover()
    expect(problems).toEqual([])
    expect([...faults.values()].reduce((sum, count) => sum + count, 0)).toBe(planned.length)
  })
})

describe('a deployment unit whose partitions split or merge (R157)', () => {
  it.each<[name: string, planned: PlannedFault[]]>([
    ['F-P1 while a range is read', []],
    ['F-P2 with a crash after the first child', faultsAt('L6', [1], 'crashAfter')],
    ['F-P2 with a crash after both children', faultsAt('L6', [2], 'crashAfter')],
    ['F-P3 F-P4 with a crash before the parent goes', faultsAt('L7', [1], 'crashBefore')],
    ['F-P3 with the parent gone, and the answer lost', faultsAt('L7', [1], 'answerLost')],
    ['F-P4 whose children exist, and the answer is lost', faultsAt('L6', [1, 2], 'answerLost')],
  ])('breaks no invariant, and has a lease for each part: %s', async (_name, planned) => {
    const scene = sceneWith({ faults: { planned } })
    await scene.pass(minuteMs)
    scene.world.container(monitored).splitPartition('0')
    await scene.pass(minuteMs / 2)
    restartCrashed(scene)
    await scene.pass(3 * minuteMs)
    const { problems } = await scene.recover()
    expect(problems).toEqual([])
    expect(scene.ownership.leases.map(({ leaseToken }) => leaseToken).sort()).toEqual(['1', '2', '3'])
  })

  it('breaks no invariant when the owner of the range is frozen within a page (F-P5)', async () => {
    const scene = sceneWith({})
    const owner = scene.unit.processOn(await ownerIn(scene))
    await scene.pass(minuteMs / 2)
    owner?.pause()
    scene.world.container(monitored).splitPartition('0')
    await scene.pass(2 * minuteMs)
    owner?.resume()
    await scene.pass(minuteMs)
    expect((await scene.recover()).problems).toEqual([])
  })

  it('creates the leases of the children when it starts again after the split (F-P6)', async () => {
    const scene = sceneWith({})
    await scene.pass(minuteMs)
    for (const computer of scene.options.computers) await stopIn(scene, computer)
    scene.world.container(monitored).splitPartition('0')
    await scene.pass(minuteMs)
    restartCrashed(scene)
    await scene.pass(minuteMs)
    expect((await scene.recover()).problems).toEqual([])
    expect(scene.ownership.leases).toHaveLength(3)
  })

  it('creates leases for the children of a child that splits soon afterwards (F-P8)', async () => {
    const scene = sceneWith({})
    await scene.pass(minuteMs)
    const container = scene.world.container(monitored)
    const [child] = container.splitPartition('0')
    await scene.pass(100)
    if (child !== undefined) container.splitPartition(child.id)
    await scene.pass(2 * minuteMs)
    expect((await scene.recover()).problems).toEqual([])
    expect(scene.ownership.leases).toHaveLength(4)
  })

  it('keeps two leases after their partitions merge, each with its own range (F-P7)', async () => {
    const scene = sceneWith({})
    await scene.pass(minuteMs)
    scene.world.container(monitored).mergePartitions(['0', '1'])
    await scene.pass(2 * minuteMs)
    expect((await scene.recover()).problems).toEqual([])
    expect(scene.ownership.leases.map(({ leaseToken }) => leaseToken).sort()).toEqual(['0', '1'])
  })
})

describe('an owner', () => {
  it.each([
    ['F-L11 F-L26 frozen for longer than the expiration', 75_000],
    ['F-L10 F-L14 frozen in a page until long after another has gone on', 180_000],
    ['F-L7 frozen for not quite the trust window', 50_000],
  ])('loses its leases only if they expire, and breaks no invariant: %s', async (_name, pauseMs) => {
    const scene = sceneWith({ writeIntervalMs: 100 })
    const owner = scene.unit.processOn(await ownerIn(scene))
    await scene.pass(minuteMs / 2)
    owner?.pause()
    await scene.pass(pauseMs)
    owner?.resume()
    await scene.pass(2 * minuteMs)
    expect((await scene.recover()).problems).toEqual([])
    const isTakenOver = scene.ownership.moves.some(({ kind }) => kind === 'expired')
    expect(isTakenOver).toBe(pauseMs > minuteMs)
  })

  it('leaves its leases to the other within one acquire interval when it stops (F-L18)', async () => {
    const scene = sceneWith({})
    const owner = await ownerIn(scene)
    await scene.pass(minuteMs)
    await stopIn(scene, owner)
    await scene.pass(17_000)
    const owners = new Set(scene.ownership.leases.map((lease) => lease.owner))
    expect([...owners]).toEqual([scene.options.computers.find((computer) => computer !== owner)?.name])
    expect((await scene.recover()).problems).toEqual([])
  })

  it('breaks no invariant when it releases its leases and the answers are lost (F-L19)', async () => {
    const scene = sceneWith({ faults: { planned: faultsAt('L5', [1, 2, 3], 'answerLost') } })
    const owner = await ownerIn(scene)
    await scene.pass(minuteMs)
    await stopIn(scene, owner)
    await scene.pass(2 * minuteMs)
    expect((await scene.recover()).problems).toEqual([])
  })

  it('gives way to another process of the same name; no change reaches both (F-L16)', async () => {
    const twins = [host('twin'), host('twin')]
    const scene = sceneWith({ computers: twins, partitionCount: 4 })
    await scene.pass(5 * minuteMs)
    const owners = new Set(scene.ownership.leases.map(({ incarnation }) => incarnation))
    expect(owners.size).toBe(1)
    expect(scene.world.problems).toEqual([])
  })

  it('wins its lease against several instances, and the store refuses the others (F-L5)', async () => {
    const telemetry = new TelemetryRecorder()
    const computers = ['a', 'b', 'c', 'd', 'e'].map(host)
    const scene = sceneWith({ computers, telemetry, faults: { latencyMs: 2_000 } })
    await scene.pass(2 * minuteMs)
    const refused = telemetry.of('store.conflict').filter(({ operation }) => operation === 'lease.acquire')
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(scene.ownership.leases.map(({ owner }) => owner)).size).toBe(2)
    expect((await scene.recover()).problems).toEqual([])
  })

  it('gives way to a process whose name differs only in case; no change reaches both (F-L22)', async () => {
    const scene = sceneWith({ computers: [host('Shop-1'), host('shop-1')], partitionCount: 4 })
    await scene.pass(5 * minuteMs)
    expect(new Set(scene.ownership.leases.map(({ incarnation }) => incarnation)).size).toBe(1)
    expect(scene.world.problems).toEqual([])
  })

  it('does not mistake its own slow renewals and checkpoints for another owner’s (F-L8)', async () => {
    const settings = { checkpointInterval: 100 }
    const scene = sceneWith({ writeIntervalMs: 100, settings, faults: { latencyMs: 3_000 } })
    await scene.pass(3 * minuteMs)
    const moves = scene.ownership.moves.length
    await scene.pass(5 * minuteMs)
    expect(scene.ownership.moves).toHaveLength(moves)
    expect((await scene.recover()).problems).toEqual([])
  })

  it('stores at most one checkpoint in five seconds, however many pages there are (F-L29)', async () => {
    const scene = sceneWith({ writeIntervalMs: 50 })
    const checkpoints: number[] = []
    scene.world.watch({
      check: (event) => {
        if (event.type === 'written' && event.by?.writePoint === 'L4')
          checkpoints.push(scene.world.time.now())
        return []
      },
    })
    await scene.pass(5 * minuteMs)
    expect(checkpoints.length).toBeGreaterThan(30)
    expect(checkpoints.length).toBeLessThanOrEqual((2 * 5 * minuteMs) / 5_000)
    expect((await scene.recover()).problems).toEqual([])
  })
})

describe('a deployment unit whose store misbehaves', () => {
  const isOfFeed = ({ method }: Request): boolean => method === 'readNext'
  const isRenewal = ({ writePoint }: Request): boolean => writePoint === 'L3' || writePoint === 'L4'
  const isOfLeases = ({ writePoint, method }: Request): boolean =>
    writePoint !== null || ['list', 'read'].includes(method)
  it.each<[name: string, is: (request: Request) => boolean, fault: ScriptedFault]>([
    ['F-L7 that throttles renewals', isRenewal, { kind: 'refused' }],
    ['F-L9 whose client repeats renewals in silence for half a minute', isRenewal, slowly(30_000)],
    ['R165 F-L27 that throttles every request for leases', isOfLeases, { kind: 'refused' }],
    ['F-L28 that is not reached by any request for leases', isOfLeases, { kind: 'requestLost' }],
    ['R164 F-C17 that throttles the feed', isOfFeed, { kind: 'refused' }],
    ['F-C18 that does not answer the feed', isOfFeed, { kind: 'requestLost' }],
    ['F-C18 that answers the feed after longer than a reader waits', isOfFeed, slowly(70_000)],
    ['F-C2 that shows changes minutes late', isOfFeed, { kind: 'stale' }],
  ])('breaks no invariant in three minutes with a store: %s', async (_name, isHit, fault) => {
    let isFailing = false
    const scene = sceneWith({
      faults: { scripted: (request) => (isFailing && isHit(request) ? fault : null) },
    })
    await scene.pass(minuteMs)
    isFailing = true
    await scene.pass(3 * minuteMs)
    isFailing = false
    await scene.pass(minuteMs)
    expect((await scene.recover()).problems).toEqual([])
  })

  it.each([
    ['F-C19 that answers 410 without saying why', 410, false],
    ['F-C20 whose container is another than the one that gave the positions', 400, true],
  ])('moves no position of a lease in three minutes with a store: %s', async (_name, code, isGivenBack) => {
    let isFailing = false
    const error = storeError(code)
    const scene = sceneWith({
      faults: {
        scripted: ({ method }) => (isFailing && method === 'readNext' ? { kind: 'refused', error } : null),
      },
    })
    await scene.pass(minuteMs)
    isFailing = true
    await scene.pass(5_000)
    const positions = (): readonly unknown[] =>
      scene.ownership.leases.map(({ leaseToken, continuationToken }) => [leaseToken, continuationToken])
    const before = positions()
    await scene.pass(3 * minuteMs)
    expect(positions()).toEqual(before)
    isFailing = false
    const freed = scene.ownership.moves.filter(({ kind }) => kind === 'free').length
    expect(freed > 10).toBe(isGivenBack)
    expect((await scene.recover()).problems).toEqual([])
  })

  it('removes a dead lock after its time to live if the store expires nothing (F-L3)', async () => {
    const planned = faultsAt('L1', [1, 2], 'crashAfter')
    const scene = sceneWith({ isTtlOn: false, faults: { planned } })
    await scene.pass(1_000)
    restartCrashed(scene)
    await scene.world.runUntil(() => scene.ownership.leases.some(({ owner }) => owner !== null), minuteMs)
    expect(scene.world.time.monotonic()).toBeGreaterThan(30_000)
    expect((await scene.recover()).problems).toEqual([])
  })

  it('creates a deleted lease again when an instance starts, and loses no change (F-L23)', async () => {
    const scene = sceneWith({})
    await scene.pass(minuteMs)
    const id = String(scene.ownership.leases[0]?.document['id'])
    scene.world.container(leases).execute([id], { kind: 'delete', id })
    await scene.pass(minuteMs)
    for (const computer of scene.options.computers) await stopIn(scene, computer)
    restartCrashed(scene)
    await scene.pass(minuteMs)
    expect((await scene.recover()).problems).toEqual([])
    expect(scene.ownership.leases).toHaveLength(2)
  })

  it('neither changes nor acquires leases of the Java SDK (F-L25)', async () => {
    const scene = sceneWith({ computers: [] })
    const named = await scene.world.ports
      .leaseStore({ leaseContainer: leases, monitoredContainer: monitored, processorName: 'unit' })
      .create({
        leaseToken: '0',
        feedRange: { min: '', max: 'FF' },
        continuationToken: null,
        firstPosition: null,
        mode: 'Incremental Feed',
      })
    if (named.kind !== 'created') throw new RangeError('the container was empty')
    const id = String(named.lease.document['id'])
    const document = { id, LeaseToken: '-FF', ContinuationToken: 'eyJWIjoxfQ==', Owner: 'java-1' }
    scene.world.container(leases).execute([id], { kind: 'upsert', document })
    scene.unit.start(first)
    await scene.pass(5 * minuteMs)
    const written = scene.world.container(leases).find([id], id)?.document
    expect(written).toMatchObject(document)
    expect(scene.ownership.moves).toEqual([])
  })

  it('sends only a few requests per minute to a lease container that is gone (F-L24)', async () => {
    let requests = 0
    const scene = sceneWith({
      faults: {
        scripted: () => {
          requests += 1
          return null
        },
      },
    })
    await scene.pass(minuteMs)
    scene.workload.stop()
    scene.world.dropContainer(leases)
    await scene.pass(2 * minuteMs)
    requests = 0
    await scene.pass(10 * minuteMs)
    expect(requests).toBeLessThan(2 * 10 * 4)
    expect(requests).toBeGreaterThan(0)
  })
})

describe('delivery', () => {
  it('of a transaction larger than a page is one page, of less than twice its size (F-C12)', async () => {
    const scene = sceneWith({ settings: { maxItemCount: 5 } })
    const sizes: number[] = []
    scene.world.watch({
      check: (event) => {
        if (event.type === 'delivery.started') sizes.push(event.changes.length)
        return []
      },
    })
    scene.workload.writeTogether(100)
    await scene.pass(minuteMs)
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...sizes)).toBeLessThan(200)
    expect((await scene.recover()).problems).toEqual([])
  })

  it.each([
    ['F-C22 of the first page fails for a while', { delegateFailures: 0.9 }],
    ['F-C13 fails now and then', { delegateFailures: 0.4, partitionCount: 4 }],
    ['F-C25 of many keys over many partitions keeps the order of each key', { partitionCount: 8 }],
    ['F-C27 of nothing is none', { writeIntervalMs: 30_000 }],
  ])('breaks no invariant: %s', async (_name, options) => {
    const scene = sceneWith(options)
    await scene.pass(3 * minuteMs)
    expect((await scene.recover()).problems).toEqual([])
    expect(scene.deliveries.acceptedCount).toBeGreaterThan(0)
  })

  it.each([
    ['F-C23 from now on misses nothing that is written once there are leases', 'now'],
    ['F-C24 from an instant on misses nothing after it', new Date(Date.UTC(2026, 0, 1))],
  ] as const)('%s', async (_name, startFrom) => {
    const scene = new Scene({
      seed: 1,
      random: seededRandom(1),
      computers: [first, second],
      partitionCount: 2,
      settings: { startFrom },
      faults: {},
    })
    for (const computer of scene.options.computers) scene.unit.start(computer)
    await scene.world.runUntil(() => scene.ownership.leases.length === 2, minuteMs)
    for (let write = 0; write < 20; write += 1) scene.workload.write()
    await scene.pass(minuteMs)
    expect((await scene.recover()).problems).toEqual([])
    expect(scene.deliveries.acceptedCount).toBeGreaterThan(10)
  })
})

function slowly(delayMs: number): ScriptedFault {
  return { kind: 'answered', delayMs }
}

describe('a process that is killed on a computer whose processes see each other', () => {
  const seeing = { ...first, seesProcesses: true }

  it.each<[name: string, planned: PlannedFault[]]>([
    ['nothing else happens', []],
    ['the requests to free its leases are lost', faultsAt('L5', [1, 2], 'requestLost')],
    ['the answers to them are lost', faultsAt('L5', [1, 2], 'answerLost')],
    ['the store refuses them for a while', faultsAt('L5', [1, 2, 3, 4], 'refused')],
    ['its successor is killed before them', faultsAt('L5', [1], 'crashBefore')],
    ['its successor is killed after the first', faultsAt('L5', [1], 'crashAfter')],
  ])('leaves its leases to its successor long before they expire, if %s (F-L31)', async (_name, planned) => {
    const scene = sceneWith({ computers: [seeing], faults: { planned } })
    await scene.pass(minuteMs)
    const before = new Set(scene.ownership.leases.map(({ incarnation }) => incarnation))
    scene.unit.processOn(seeing)?.crash()
    scene.unit.start(seeing)
    await scene.pass(1_000)
    restartCrashed(scene)
    await scene.pass(24_000)
    const { leases: now } = scene.ownership
    expect(now.filter(({ incarnation }) => before.has(incarnation))).toEqual([])
    expect(now.map(({ owner }) => owner)).toEqual([seeing.name, seeing.name])
    expect((await scene.recover()).problems).toEqual([])
    expect(scene.ownership.moves.map(({ kind }) => kind)).not.toContain('expired')
  })

  it('keeps its leases until they expire if only another computer runs on (F-L31)', async () => {
    const scene = sceneWith({ computers: [seeing, { ...second, seesProcesses: true }] })
    await scene.pass(minuteMs)
    scene.unit.processOn(seeing)?.crash()
    await scene.pass(40_000)
    expect(scene.ownership.leases.some(({ owner }) => owner === seeing.name)).toBe(true)
    await scene.pass(minuteMs)
    expect(scene.ownership.moves.map(({ kind }) => kind)).toContain('expired')
    expect((await scene.recover()).problems).toEqual([])
  })
})
