import { defineAgent, type Agent, type AgentContext } from '../../src/sas/agents/agent.js'
import type { Call } from '../../src/testing/events.js'
import type { Wiring } from '../../src/testing/network.js'
import type { SimulatedProcess } from '../../src/testing/simulated-process.js'
import type { World } from '../../src/testing/world.js'

/** One request to a remote service. */
interface ServiceCall {
  readonly context: Pick<AgentContext, 'jobId' | 'stepId' | 'attempt' | 'idempotencyKey' | 'undoes'>
  readonly asked: Asked
  readonly processId: string
}

/**
 * The behaviour of a service for a request. `unheard`: it acts, but its answer is lost. `known`: it answers a
 * repetition with the error that this is already done.
 */
type Mood = 'willing' | 'busy' | 'unable' | 'unheard' | 'known'

/**
 * Chooses the behaviour of a service for a request. `count` is the number of the step's requests in that
 * direction, from 1, over all restarts of the job.
 */
export type Moods = (call: {
  readonly stepId: string
  readonly isUndo: boolean
  readonly count: number
  /** The number of the request among those with its key, from 1. */
  readonly ofKey: number
}) => Mood

/** Thrown by a service that will never do the requested work. */
class Unable extends Error {}

/** Thrown by a service that has already done the requested work. */
class AlreadyDone extends Error {}

/** How the services of one job behave. */
export interface Temper {
  readonly moods: Moods
  /** How long a request takes. Default 0. */
  readonly workMs?: number
  /** How often it shows progress meanwhile, so that its agent asks for more time. Default never. */
  readonly progressEveryMs?: number
}

/** The input of the agents' operations. */
export interface Asked {
  readonly item: string
}

interface Operations {
  readonly provide: (asked: Asked, context: AgentContext) => Promise<Asked & { readonly key: string }>
  readonly takeBack: (asked: Asked, context: AgentContext) => Promise<null>
}

type Ask = (context: AgentContext, asked: Asked) => Promise<void>

function operationsOf(ask: Ask): Operations {
  return {
    provide: async (asked, context) => {
      await ask(context, asked)
      return { ...asked, key: context.idempotencyKey }
    },
    takeBack: async (asked, context) => {
      await ask(context, asked)
      return null
    },
  }
}

const plain = (ask: Ask) => defineAgent('services', { ...operationsOf(ask) })
/** Returns an agent that retries within an attempt. */
const insistent = (ask: Ask) =>
  defineAgent(
    'insistent',
    { ...operationsOf(ask) },
    { retry: { tries: 3, backoff: { min: '1s', max: '1s' } } },
  )
/** Returns an agent that stops calling for a while after failures. */
const guarded = (ask: Ask) =>
  defineAgent('guarded', { ...operationsOf(ask) }, { circuitBreaker: { failures: 2, openFor: '4s' } })

const asksNothing: Ask = () => Promise.resolve()

/** The operations that the workflows of scenarios name. Each process has its own handlers for them. */
export type Services = Pick<ReturnType<typeof plain>, 'provide' | 'takeBack'>
export const services: Services = plain(asksNothing)
export const insistentServices: Services = insistent(asksNothing)
export const guardedServices: Services = guarded(asksNothing)

/**
 * The remote services. Each remembers its effects by key, whichever process calls. The network to them fails
 * like the one to the store; its write point is X. An effect remains, even if the calling process crashes.
 */
export class RemoteServices {
  /** Keys of effects that are not undone. */
  readonly effects = new Set<string>()
  private readonly revoked = new Set<string>()
  private readonly counts = new Map<string, number>()

  constructor(
    private readonly world: World,
    private readonly tempers: (jobId: string) => Temper,
  ) {}

  /** Returns the agents of one process. */
  agents(process: SimulatedProcess): readonly Agent[] {
    const port = this.world.network.connect(
      { call: async (call: ServiceCall) => this.act(call) },
      process,
      wiring,
    )
    const ask: Ask = async (context, asked) => {
      const { workMs = 0, progressEveryMs = workMs } = this.tempers(context.jobId)
      for (let leftMs = workMs; leftMs > 0; leftMs -= progressEveryMs) {
        if (leftMs < workMs) await context.progress({ done: workMs - leftMs, of: workMs })
        await process.clock.sleep(Math.min(leftMs, progressEveryMs), context.signal)
      }
      if (context.signal.aborted) return
      try {
        await port.call({ context, asked, processId: process.id })
      } catch (error) {
        if (error instanceof AlreadyDone) return
        if (error instanceof Unable) context.failPermanently(error)
        throw error
      }
    }
    return [plain(ask), insistent(ask), guarded(ask)]
  }

  private act(call: ServiceCall): void {
    const { stepId, jobId, undoes, idempotencyKey } = call.context
    const isUndo = undoes !== null
    const place = `${firstJobId(jobId)}/${stepId}/${isUndo ? 'undo' : 'do'}`
    const [count, ofKey] = [this.counted(place), this.counted(idempotencyKey)]
    const mood = this.tempers(jobId).moods({ stepId, isUndo, count, ofKey })
    if (mood === 'busy' || mood === 'unable') {
      this.record(call, 'refused')
      throw mood === 'busy' ? new Error(`${stepId} is busy`) : new Unable(`${stepId} is impossible`)
    }
    const effect = undoes === null ? this.do(idempotencyKey) : this.undo(undoes)
    this.record(call, effect)
    if (mood === 'known' && effect === 'repeated') throw new AlreadyDone(`${stepId} is done already`)
    if (mood === 'unheard') throw new Error(`${stepId} has not answered`)
  }

  private counted(what: string): number {
    const count = (this.counts.get(what) ?? 0) + 1
    this.counts.set(what, count)
    return count
  }

  /**
   * Has an effect once per key. Refuses a key that was undone, because the new effect would never be undone.
   */
  private do(key: string): Call['effect'] {
    if (this.revoked.has(keyOfStep(key))) return 'late'
    if (this.effects.has(key)) return 'repeated'
    this.effects.add(key)
    return 'done'
  }

  private undo(key: string): Call['effect'] {
    this.revoked.add(key)
    const done = [...this.effects].filter((effect) => keyOfStep(effect) === key)
    for (const effect of done) this.effects.delete(effect)
    return done.length > 0 ? 'undone' : 'nothing to undo'
  }

  private record({ context, asked, processId }: ServiceCall, effect: Call['effect']): void {
    const { jobId, stepId, attempt, idempotencyKey: key, undoes } = context
    const about = { processId, jobId, stepId, attempt, key, undoes, asked: asked.item }
    this.world.record({ type: 'called', ...about, effect })
  }
}

/** Returns the id of the job that was submitted, for a job that was made by a restart. */
export function firstJobId(jobId: string): string {
  return jobId.replace(/\.r\d+$/u, '')
}

/** Returns the key of a round without the number of the round. Undoing a step undoes all its rounds. */
export function keyOfStep(key: string): string {
  return key.replace(/\/r\d+$/u, '')
}

const wiring: Wiring = {
  party: 'agents',
  writePointOf: () => 'X',
  lost: (_method, cause) => Promise.reject(cause),
  stale: (_request, answer) => answer,
}
