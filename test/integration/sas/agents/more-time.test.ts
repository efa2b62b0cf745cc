import { beforeEach, describe, expect, it } from 'vitest'
import { defineAgent, type AgentContext } from '../../../../src/sas/agents/agent.js'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { deferred } from '../../../support/deferred.js'
import { StateWorld } from '../../../support/state-world.js'

const going = { signal: new AbortController().signal }
const unavailable = { kind: 'throws', error: new StoreUnavailable('busy', { cause: null }) } as const

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

/** An open step on which a handler has worked for 20 s; the handler ends when `end` is resolved. */
async function workingOn(options: { readonly claim?: true } = {}) {
  await world.dispatched({ pay: [] }, { completeWithin: '30s', ...options })
  const begun: AgentContext[] = []
  const end = deferred<string>()
  const sell = (_input: unknown, context: AgentContext) => {
    begun.push(context)
    return end.promise
  }
  const agent = defineAgent('shop', { sell })
  const agents = world.agents({ agents: [agent] })
  await agents.onChanges(await world.changes(), going)
  await world.clock.advance(20_000)
  const [context] = begun
  if (context === undefined) throw new Error('the handler has not begun')
  return { agent, agents, begun, context, end }
}

describe('an attempt that asks for more time (F-A25)', () => {
  it.each([{}, { claim: true as const }])(
    'completes its step after the original deadline (%o)',
    async (options) => {
      const { agents, context, end } = await workingOn(options)
      await context.extend()
      expect(context.deadline).toEqual(new Date(submittedAtMs + 50_000))
      await world.clock.advance(25_000)
      end.resolve('sold')
      await agents.stop(1_000)
      expect(await world.step()).toMatchObject({ processState: 'Processed', failureCount: 0, output: 'sold' })
      expect(world.telemetry.of('step.extended')).toMatchObject([
        { stepId: 'pay', attempt: 1, completeByMs: submittedAtMs + 50_000 },
      ])
    },
  )

  it('is not repeated by the instance that has taken over the range meanwhile', async () => {
    const { agent, agents, begun, context, end } = await workingOn()
    await context.extend()
    const other = world.agents({ agents: [agent], instanceName: 'agents-2' })
    await other.onChanges(await world.changes(), going)
    expect(begun).toHaveLength(1)
    end.resolve('sold')
    await agents.stop(1_000)
    expect((await world.step()).outcome).toMatchObject({ kind: 'success', by: 'agents-1' })
  })

  it('costs no further write while enough time is left', async () => {
    const { agents, context, end } = await workingOn()
    await context.extend()
    const before = world.faults.writes.length
    await context.extend()
    expect(world.faults.writes).toHaveLength(before)
    end.resolve('sold')
    await agents.stop(1_000)
  })

  it('is aborted when the step was stopped or given to another attempt', async () => {
    const { agents, context } = await workingOn()
    await world.clock.advance(8_000)
    const step = await world.step()
    const { _etag: ifMatch, ...document } = { ...step, fence: step.fence + 1 }
    await world.put('job-1', [{ kind: 'replace', document, ifMatch }])
    await expect(context.extend()).rejects.toThrow('the step was stopped or given to another attempt')
    expect(context.signal.aborted).toBe(true)
    await agents.stop(1_000)
    expect(world.telemetry.of('outcome.discarded')).toHaveLength(1)
  })

  it('is refused when its job cannot be read any more', async () => {
    const { agents, context } = await workingOn()
    const { _etag: ifMatch, ...job } = await world.job()
    const document = { ...job, processState: 'Error' }
    await world.put('job-1', [{ kind: 'replace', document, ifMatch }])
    await expect(context.extend()).rejects.toThrow('the job of the step is gone')
    await agents.stop(1_000)
  })
})

describe('a heartbeat that is lost (F-A26)', () => {
  it('is repeated while the deadline stands', async () => {
    const { agents, context, end } = await workingOn()
    world.faults.failWrites(unavailable, unavailable)
    const extending = context.extend()
    await world.clock.advance(5_000)
    await extending
    expect(context.deadline.getTime()).toBeGreaterThan(submittedAtMs + 50_000)
    end.resolve('sold')
    await agents.stop(1_000)
    expect((await world.step()).processState).toBe('Processed')
  })

  it('ends the attempt at the deadline, and no outcome of it is recorded (I3)', async () => {
    const { agents, context, end } = await workingOn()
    world.faults.failWrites(...Array.from({ length: 100 }, () => unavailable))
    const extending = expect(context.extend()).rejects.toThrow()
    await world.clock.advance(10_000)
    await extending
    expect(context.signal.aborted).toBe(true)
    end.resolve('sold')
    await agents.stop(1_000)
    expect(await world.step()).toMatchObject({ processState: 'Processing', outcome: null, claim: null })
  })
})
