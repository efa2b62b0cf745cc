import { FeedHints } from '../../src/change-feed-processor/internal.js'
import { enginePorts } from '../../src/engine-ports/index.js'
import { CosmosEngine } from '../../src/emulator/internal.js'
import { seededRandom, VirtualClock } from '../../src/platform/index.js'
import { defineAgent, type AgentContext } from '../../src/sas/agents/agent.js'
import { createAgents, createScheduler, createSupervisor } from '../../src/sas/deployment-unit.js'
import type { UnitOptions } from '../../src/sas/role-unit.js'
import { InProcessPath } from '../../src/sas/in-process/in-process-path.js'
import { beginningHere } from '../../src/sas/in-process/waking-store.js'
import { JobClient } from '../../src/sas/client/job-client.js'
import { TelemetryRecorder } from '../../src/telemetry/index.js'
import { submittedAtMs } from './a-job.js'

const database = 'stepward'
const [state, leases] = ['state', 'leases']

/**
 * One store, in which several processes have both roles with leases, in virtual time. With `keepsDocuments`, each step gets its
 * document with its dispatch, so that tests can compare both.
 */
export function processesWorld(partitionCount = 1) {
  const clock = new VirtualClock(submittedAtMs)
  const random = seededRandom(1)
  const telemetry = new TelemetryRecorder()
  const engine = new CosmosEngine({ now: () => clock.now(), nextId: () => random.id(), partitionCount })
  engine.createDatabase(database)
  const byPk = { paths: ['/pk'], kind: 'Hash', version: 2 }
  engine.createContainer(database, { id: state, partitionKey: byPk, defaultTtl: -1 })
  engine.createContainer(database, { id: leases, partitionKey: { ...byPk, paths: ['/id'] } })
  const ports = enginePorts(engine, database)
  const [store, queries] = [ports.stateStore(state), ports.jobQueries(state)]
  /** One process with both roles. */
  const dead = new Set<string>()
  /** What happens after a write of a process was applied, before its answer arrives. */
  const afterApply = new Map<string, (writes: readonly { document: { id: string } }[]) => Promise<void>>()
  const answered = (name: string, key: unknown, args: unknown[], call: () => unknown): unknown => {
    if (key !== 'apply') return call()
    return (async () => {
      const value = await (call() as Promise<unknown>)
      await afterApply.get(name)?.(args[1] as never)
      return dead.has(name) ? new Promise(() => undefined) : value
    })()
  }
  /** A port whose calls never return once its process is dead. */
  const ofProcess = <P extends object>(name: string, port: P): P =>
    new Proxy(port, {
      get: (target, key): unknown => {
        const member: unknown = Reflect.get(target, key, target)
        if (typeof member !== 'function') return member
        return (...args: unknown[]): unknown =>
          dead.has(name)
            ? new Promise(() => undefined)
            : answered(name, key, args, () => Reflect.apply(member, target, args) as unknown)
      },
    })
  const process = (
    name: string,
    calls: string[],
    {
      handlerMs,
      keepsDocuments,
      stopBudget = 60_000,
    }: {
      readonly handlerMs: number | ((item: string) => number)
      readonly keepsDocuments: boolean
      readonly stopBudget?: number
    },
  ) => {
    const hints = new FeedHints()
    const inProcessPath = new InProcessPath()
    if (keepsDocuments) {
      const open = inProcessPath.agents.open.bind(inProcessPath.agents)
      inProcessPath.agents.open = (token, offer) => open(token, { ...offer, promise: () => false })
    }
    const unitOptions = (processorName: string): UnitOptions => ({
      store: ofProcess(name, store),
      feed: ofProcess(name, ports.changeFeed(state)),
      leases: ofProcess(
        name,
        ports.leaseStore({ leaseContainer: leases, monitoredContainer: state, processorName }),
      ),
      processorName,
      instanceName: name,
      hints,
      inProcessPath,
      telemetry,
      clock,
      random,
    })
    const shop = defineAgent('shop', {
      sell: async ({ item }: { readonly item: string }, { signal }: AgentContext) => {
        calls.push(`${name} ${item} ${clock.monotonic()}`)
        await clock.sleep(typeof handlerMs === 'number' ? handlerMs : handlerMs(item), signal)
        return item
      },
      takeBack: () => null,
    })
    const scheduler = createScheduler(unitOptions('scheduler'))
    const agents = createAgents({ ...unitOptions('agents'), agents: [shop], slots: 400, stopBudget })
    const client = new JobClient({
      store: ofProcess(name, store),
      queries,
      clock,
      telemetry,
      ...beginningHere(inProcessPath, hints),
    })
    return { scheduler, agents, client, inProcessPath }
  }
  const supervisor = createSupervisor({
    store,
    feed: ports.changeFeed(state),
    leases: ports.leaseStore({
      leaseContainer: leases,
      monitoredContainer: state,
      processorName: 'supervisor',
    }),
    processorName: 'supervisor',
    instanceName: 'v',
    telemetry,
    clock,
    random,
    agentsLeases: ports.leaseStore({
      leaseContainer: leases,
      monitoredContainer: state,
      processorName: 'agents',
    }),
    sweepInterval: 10_000,
    deadlineGrace: 2_000,
  })
  return { clock, telemetry, store, process, supervisor, dead, afterApply }
}

/** Returns the job as it is stored. */
export const storedJob = async (w: ReturnType<typeof processesWorld>) =>
  (await w.store.read({ pk: 'job-1', id: 'sas.job:job-1' })) as unknown as Record<string, unknown>

export type World = ReturnType<typeof processesWorld>
export type WorldProcess = ReturnType<World['process']>
/** A role of a process. */
export type Role = 'scheduler' | 'agents'

const bothRoles: readonly Role[] = ['scheduler', 'agents']

/** Starts roles of a process, and resolves when they have had time to take free leases. */
export async function started(
  w: World,
  each: WorldProcess,
  {
    roles = bothRoles,
    withinMs = 5_000,
  }: { readonly roles?: readonly Role[]; readonly withinMs?: number } = {},
): Promise<void> {
  const all = Promise.all(roles.map((role) => each[role].start()))
  await w.clock.advance(withinMs)
  await all
}

/** A world with two processes of the same handler, of which the first has started. `calls` tells the calls of both. */
export async function twoProcesses(handlerMs: number, keepsDocuments: boolean) {
  const w = processesWorld()
  const calls: string[] = []
  const one = w.process('one', calls, { handlerMs, keepsDocuments })
  const two = w.process('two', calls, { handlerMs, keepsDocuments })
  await started(w, one)
  return { w, calls, one, two }
}

/** Advances the time until the job is in an end state. Returns the time that this took, or null if it took too long. */
export async function untilEnd(
  w: World,
  { mostMs, stepMs = 5_000 }: { readonly mostMs: number; readonly stepMs?: number },
): Promise<{ readonly doneMs: number | null; readonly state: unknown }> {
  const from = w.clock.monotonic()
  while (w.clock.monotonic() - from < mostMs) {
    await w.clock.advance(stepMs)
    const { processState: state } = await storedJob(w)
    if (state !== 'Processing' && state !== 'Pending') return { doneMs: w.clock.monotonic() - from, state }
  }
  return { doneMs: null, state: 'Processing' }
}
