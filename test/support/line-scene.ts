import type { Processes } from '../../src/platform/internal.js'
import { defineAgent, type AgentContext } from '../../src/sas/agents/agent.js'
import { JobClient } from '../../src/sas/client/job-client.js'
import type { Job } from '../../src/sas/client/job.js'
import { defineWorkflow, type Workflow } from '../../src/sas/index.js'
import type { StepOptions } from '../../src/sas/workflow/step-options.js'
import type { Deferred } from './deferred.js'
import { going, leaseToken, together } from './one-process.js'
import { StateWorld } from './state-world.js'

interface Input {
  readonly step: string
  readonly of?: unknown
}

/** What the agent {@link bank} of a process does. */
interface Acts {
  readonly act: (input: Input, context: AgentContext) => unknown
  readonly undo: (input: Input, context: AgentContext) => null
}

/** An agent with one operation for all steps, and one that undoes them. */
export const bank = defineAgent('bank', {
  act: (_input: Input): unknown => null,
  undo: (_input: Input) => null,
})

interface LineOptions extends StepOptions {
  readonly undo?: boolean
  readonly version?: number
  readonly job?: 'error' | 'compensate' | 'compensateThenRetry'
}

/** A workflow whose steps, each with a name of one letter, follow each other. Each one gets the output of the step before. */
export function aLine(
  ids: string,
  { undo = false, version = 1, job: policy = 'error', ...options }: LineOptions = {},
): Workflow<object> {
  return defineWorkflow<object>(
    'line',
    (job) => {
      let of: unknown = null
      let after: { readonly id: string }[] = []
      for (const id of ids) {
        const common = { completeWithin: '30s', ...options, after } as const
        const step = job.step(
          id,
          bank.act,
          { step: id, of },
          { ...common, undo: undo ? (output) => bank.undo({ step: id, of: output }) : 'none' },
        )
        of = step.output
        after = [step]
      }
      job.onExhausted(policy, { maxGenerations: 2 })
    },
    { version },
  )
}

/** The output of a step, unless a test sets another one. */
export const did = (step: string) => ({ did: step })

/** A world whose processes run `job-1`, what their handlers were asked, and what these do. */
export class LineScene {
  readonly world: StateWorld
  readonly client: JobClient
  /** The calls of handlers, each with its process and its step. */
  calls: string[] = []
  /** The newest input of each step. */
  readonly inputs = new Map<string, unknown>()
  readonly undone: { readonly input: unknown; readonly key: string; readonly undoes: string | null }[] = []
  /** How many times the handler of a step fails until it succeeds. */
  readonly failures = new Map<string, number>()
  /** The steps that fail for good, until something is undone. */
  readonly refused = new Set<string>()
  /** Outputs of steps, or of a step in one process: `one a`. */
  readonly outputs = new Map<string, unknown>()
  /** Handlers wait for these, which have the same names. */
  readonly holds = new Map<string, Deferred<void>>()

  constructor(retentionMinutes?: number) {
    this.world = new StateWorld(retentionMinutes === undefined ? {} : { retentionMinutes })
    this.client = new JobClient(this.world)
  }

  /** The agent of a process. */
  bankOf(process: string) {
    const handlers: Acts = {
      act: async ({ step, of }, context) => {
        const { holds, failures, refused, outputs } = this
        const name = `${process} ${step}`
        this.calls.push(name)
        this.inputs.set(step, of)
        await (holds.get(name) ?? holds.get(step))?.promise
        const left = failures.get(step) ?? 0
        failures.set(step, left - 1)
        if (left > 0) throw new Error(`${step} is busy`)
        if (refused.has(step)) context.failPermanently(`${step} is impossible`)
        return outputs.get(name) ?? outputs.get(step) ?? did(step)
      },
      undo: (input, { idempotencyKey: key, undoes }) => {
        this.undone.push({ input, key, undoes })
        this.refused.clear()
        return null
      },
    }
    return defineAgent('bank', { ...handlers })
  }

  /** A scheduler and agents of one process, which own the same range. */
  process(name = 'one', processes: Partial<Processes> = {}) {
    const { world } = this
    const processOf: Processes = { own: name, hasEnded: () => false, isNeighbour: () => false, ...processes }
    const own = together(world, [this.bankOf(name)], { name, slots: 8, processes: processOf })
    const { scheduler, agents, inProcessPath } = own
    return {
      ...own,
      /** Delivers changes until nothing follows, with a supervisor if there is time for it. */
      run: async (restMs = 10): Promise<void> => {
        for (let quiet = 0; quiet < 3;) {
          const page = await world.changes()
          const deliver = async (): Promise<void> => {
            await scheduler.onChanges(page, going)
            await agents.onChanges(page, going)
          }
          // A processor delivers a page again that was not handled.
          await deliver().catch(deliver)
          await world.clock.advance(restMs)
          if (restMs > 1_000) await world.supervisor().runOnce()
          quiet = page.length === 0 ? quiet + 1 : 0
        }
        await this.consistent()
      },
      /** Loses the range, with both roles. */
      lose: async (): Promise<void> => {
        inProcessPath.scheduler.close(leaseToken)
        await scheduler.documentAttempts(leaseToken)
        inProcessPath.agents.close(leaseToken)
        scheduler.onLeaseReleased(leaseToken)
        agents.leaveRange(leaseToken)
      },
    }
  }

  /** Expects that each step has a document, or a plan in the job, and never both (I45). */
  async consistent(): Promise<void> {
    const job = await this.world.job()
    const planned = new Set(job.planned?.map(({ id }) => id))
    const others = job.stepIds.filter((stepId) => !planned.has(stepId)).sort()
    const documents = await this.documents()
    if (documents.join() !== others.join())
      throw new Error(
        `the documents are those of ${documents.join()}, and should be those of ${others.join()}`,
      )
  }

  async documents(): Promise<string[]> {
    return (await this.world.truth.listSteps('job-1', 'job-1')).map(({ stepId }) => stepId).sort()
  }

  /** The steps whose successes only the job has. */
  async doneInJob(): Promise<string[]> {
    const { planned = [] } = await this.world.job()
    return planned.filter(({ done }) => done !== undefined).map(({ id }) => id)
  }

  async submit(workflow: Workflow<object>, options: { readonly retainFor?: '1h' } = {}): Promise<Job> {
    return this.client.submit(workflow, {}, { jobId: 'job-1', ...options })
  }

  async theJob(): Promise<Job> {
    const job = await this.client.get('job-1')
    if (job === null) throw new Error('there is no job')
    return job
  }

  async state(): Promise<string> {
    return (await this.world.job()).processState
  }

  /** The state of the job, the steps that have documents, and those whose successes only the job has. */
  async places(): Promise<[string, string[], string[]]> {
    return [await this.state(), await this.documents(), await this.doneInJob()]
  }
}
