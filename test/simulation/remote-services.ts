import { defineAgent, type Agent, type AgentContext } from '../../src/sas/agent.js'
import type { Call } from '../../src/simulation/events.js'
import type { Wiring } from '../../src/simulation/network.js'
import type { SimulatedProcess } from '../../src/simulation/simulated-process.js'
import type { World } from '../../src/simulation/world.js'

/** One request to a service outside. */
interface ServiceCall {
  readonly context: Pick<AgentContext, 'jobId' | 'stepId' | 'attempt' | 'idempotencyKey' | 'undoes'>
  readonly processId: string
}

/** What a service makes of a request; of one that is unheard it does what is asked, and fails to say so. */
type Mood = 'willing' | 'busy' | 'unable' | 'unheard'

/** How services are disposed to a request: which of a step's requests in that direction it is, counted from 1. */
export type Moods = (call: {
  readonly stepId: string
  readonly isUndo: boolean
  readonly count: number
}) => Mood

/** Thrown by a service that will never do what it was asked for. */
class Unable extends Error {}

/** How the services of one job behave. */
export interface Temper {
  readonly moods: Moods
  /** How long a request takes. Default 0. */
  readonly workMs?: number
  /** How often it shows progress meanwhile, whereupon its agent asks for more time. Default never. */
  readonly progressEveryMs?: number
}

/** What agents of the simulation offer: something, and its undo. */
export interface Asked {
  readonly item: string
}

/** The operations that the workflows of scenarios name; each process has its own handlers of them. */
export const services = defineAgent('services', {
  provide: (asked: Asked): { readonly item: string; readonly key: string } => ({ ...asked, key: '' }),
  takeBack: (_asked: Asked): null => null,
})

/**
 * Services outside: each remembers by key what it has done, whoever asks. The network to them fails as the one to the
 * store does; its write point is X. What a service has done stays done, whatever becomes of who asked.
 */
export class RemoteServices {
  /** Keys of what is done and not undone. */
  readonly effects = new Set<string>()
  private readonly revoked = new Set<string>()
  private readonly counts = new Map<string, number>()

  constructor(
    private readonly world: World,
    private readonly tempers: (jobId: string) => Temper,
  ) {}

  /** The agents of one process. */
  agents(process: SimulatedProcess): readonly Agent[] {
    const port = this.world.network.connect(
      { call: async (call: ServiceCall) => this.act(call) },
      process,
      wiring,
    )
    const call = async (context: AgentContext): Promise<void> => {
      const { workMs = 0, progressEveryMs = workMs } = this.tempers(context.jobId)
      for (let leftMs = workMs; leftMs > 0; leftMs -= progressEveryMs) {
        if (leftMs < workMs) await context.extend()
        await process.clock.sleep(Math.min(leftMs, progressEveryMs), context.signal)
      }
      if (context.signal.aborted) return
      try {
        await port.call({ context, processId: process.id })
      } catch (error) {
        if (error instanceof Unable) context.failPermanently(error)
        throw error
      }
    }
    return [
      defineAgent('services', {
        provide: async (asked: Asked, context) => {
          await call(context)
          return { ...asked, key: context.idempotencyKey }
        },
        takeBack: async (_asked: Asked, context) => {
          await call(context)
          return null
        },
      }),
    ]
  }

  private act(call: ServiceCall): void {
    const { stepId, jobId, undoes } = call.context
    const isUndo = undoes !== null
    const place = `${jobId}/${stepId}/${isUndo ? 'undo' : 'do'}`
    const count = (this.counts.get(place) ?? 0) + 1
    this.counts.set(place, count)
    const mood = this.tempers(jobId).moods({ stepId, isUndo, count })
    if (mood === 'busy' || mood === 'unable') {
      this.record(call, 'refused')
      throw mood === 'busy' ? new Error(`${stepId} is busy`) : new Unable(`${stepId} is impossible`)
    }
    this.record(call, undoes === null ? this.do(call.context.idempotencyKey) : this.undo(undoes))
    if (mood === 'unheard') throw new Error(`${stepId} has not answered`)
  }

  /** A key that was taken back is not honoured again: the effect would be one that nobody undoes. */
  private do(key: string): Call['effect'] {
    if (this.revoked.has(key)) return 'late'
    if (this.effects.has(key)) return 'repeated'
    this.effects.add(key)
    return 'done'
  }

  private undo(key: string): Call['effect'] {
    this.revoked.add(key)
    return this.effects.delete(key) ? 'undone' : 'nothing to undo'
  }

  private record({ context, processId }: ServiceCall, effect: Call['effect']): void {
    const { jobId, stepId, attempt, idempotencyKey: key } = context
    this.world.record({ type: 'called', processId, jobId, stepId, attempt, key, effect })
  }
}

const wiring: Wiring = {
  party: 'agents',
  writePointOf: () => 'X',
  lost: (_method, cause) => Promise.reject(cause),
  stale: (_request, answer) => answer,
}
