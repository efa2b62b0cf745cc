import { describe, expect, it, onTestFinished } from 'vitest'
import { enginePorts } from '../../../src/engine-ports/index.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { seededRandom, VirtualClock } from '../../../src/platform/index.js'
import type { JobDocument } from '../../../src/sas/model/documents.js'
import { withDerivedState } from '../../../src/sas/model/process-state.js'
import type { StateDocument } from '../../../src/sas/store/state-store.js'
import { aJob } from '../../support/a-job.js'
import { portsThrough, servedDoor } from '../../support/local-door.js'

const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 }

function job(jobId: string): StateDocument {
  return { ...aJob(), id: `sas.job:${jobId}`, pk: jobId, jobId }
}

/** An attached process. While `isOfOtherVersion`, another version of the package has the store. */
async function attached({ hasContainer = true } = {}) {
  const { engine } = createInProcessCosmos({ random: seededRandom(1) })
  engine.createDatabase('stepward')
  const createContainer = () => engine.createContainer('stepward', { id: 'state', partitionKey })
  if (hasContainer) createContainer()
  const door = await servedDoor({ engine })
  const state = { isOfOtherVersion: false, dials: 0 }
  const clock = new VirtualClock()
  const ports = await portsThrough(
    {
      dial: (name, parameters) => {
        state.dials += 1
        return door.dial(state.isOfOtherVersion ? 'another version' : name, parameters)
      },
    },
    { clock },
  )
  onTestFinished(() => {
    ports.close()
  })
  const lose = async (): Promise<void> => {
    const closed = door.dialed
      .slice(-1)
      .map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    for (const socket of door.accepted) socket.destroy()
    await Promise.all(closed)
  }
  const heard: (string | null)[] = []
  const watch = () => ports.watch((rangeId) => heard.push(rangeId))
  const write = async (jobId: string): Promise<void> => {
    const beside = enginePorts(engine, 'stepward').stateStore('state')
    await beside.apply(jobId, [{ kind: 'create', document: job(jobId) }])
  }
  const end = async (jobId: string): Promise<void> => {
    const { targetState, ...others } = job(jobId) as JobDocument
    const steps = { only: { state: 'Processed' as const, dispatch: 1 } }
    const endedAt = new Date(0).toISOString()
    const document = withDerivedState({
      ...others,
      targetState,
      currentState: targetState,
      steps,
      endedAt,
      endedAtMs: 1,
    })
    const beside = enginePorts(engine, 'stepward').stateStore('state')
    await beside.apply(jobId, [{ kind: 'create', document }])
  }
  return { state, clock, ports, lose, heard, watch, write, end, createContainer }
}

describe('the reports of the local door', () => {
  it('come again after another version of the package had the store for a while', async () => {
    const { state, clock, lose, heard, watch, write } = await attached()
    watch()
    state.isOfOtherVersion = true
    await lose()
    await clock.advance(1_000)
    await clock.advance(1_000)
    expect([state.dials, heard]).toEqual([3, []])
    state.isOfOtherVersion = false
    await clock.advance(1_000)
    await expect.poll(() => heard).toEqual([null])
    await write('a')
    await expect.poll(() => heard).toEqual([null, '0'])
  })

  it('come to a watcher that begins while there is no connection', async () => {
    const { lose, heard, watch, write } = await attached()
    await lose()
    watch()
    await expect.poll(() => heard).toEqual([null])
    await write('a')
    await expect.poll(() => heard).toEqual([null, '0'])
  })

  it('tell of the end of a job, also if the wait begins while there is no connection', async () => {
    const { lose, ports, state, end } = await attached()
    await lose()
    const ended: string[] = []
    ports.endings.subscribe({ pk: 'a', id: 'sas.job:a', jobId: 'a' }, (one) => ended.push(one.job.jobId))
    await expect.poll(() => state.dials).toBe(2)
    await end('a')
    await expect.poll(() => ended).toEqual(['a'])
  })

  it('come once a request has found the container, if there was none before', async () => {
    const { heard, watch, write, createContainer, ports } = await attached({ hasContainer: false })
    watch()
    await expect(ports.state.read({ pk: 'a', id: 'a' })).rejects.toThrow()
    createContainer()
    expect(await ports.state.read({ pk: 'a', id: 'a' })).toBeNull()
    // So the store has the question of the watcher.
    await ports.state.read({ pk: 'a', id: 'a' })
    await write('a')
    await expect.poll(() => heard).toContain('0')
  })
})
