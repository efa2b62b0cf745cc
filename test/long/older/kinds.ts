import type { Agent, Workflow } from 'stepward'
import type * as stepward from 'stepward'

/** The public names of a build. At run time, they are those of the older or of the present one. */
export type Build = typeof stepward

/** The input of every job. */
export interface Order {
  readonly orderId: string
}

/** A call of a handler, as its process reports it to the parent. */
export interface Call {
  readonly key: string
  readonly stepId: string
  readonly isOver: boolean
}

/** The end that a job must have. */
type End = 'Processed' | 'Compensated' | 'Error'

/** Kinds of jobs that both builds know, with their ends. */
export const oldKinds: Readonly<Record<string, End>> = {
  chain: 'Processed',
  fan: 'Processed',
  retried: 'Processed',
  undone: 'Compensated',
  failed: 'Error',
}

/** Kinds of jobs with parts that an older build may not know. */
export const newKinds: Readonly<Record<string, End>> = {
  limited: 'Processed',
  asked: 'Processed',
  continued: 'Processed',
  repeated: 'Processed',
  paused: 'Processed',
}

/** Returns the agent of a process. Its handlers report each call and take half a second. */
export function shopOf({ defineAgent }: Build, report: (call: Call) => void) {
  return defineAgent('shop', {
    sell: async (input: { readonly item: string }, context) => {
      const about = { key: context.idempotencyKey, stepId: context.stepId }
      report({ ...about, isOver: false })
      await new Promise((resolve) => setTimeout(resolve, 500))
      if (input.item === 'never') context.failPermanently(new Error('it is sold out'))
      if (input.item === 'second' && context.attempt === 1) throw new Error('the shop is busy')
      report({ ...about, isOver: true })
      return { item: input.item, round: context.attempt }
    },
    takeBack: async (_input: { readonly item: string }, context) => {
      report({ key: context.idempotencyKey, stepId: `undo of ${context.stepId}`, isOver: false })
      report({ key: context.idempotencyKey, stepId: `undo of ${context.stepId}`, isOver: true })
    },
  })
}

type Shop = ReturnType<typeof shopOf>

export function agentsOf(shop: Shop): readonly Agent[] {
  return [shop]
}

/** Returns the workflow of a kind, as the given build defines it. */
export function workflowOf({ defineWorkflow, condition }: Build, shop: Shop, kind: string): Workflow<Order> {
  const undo = (): ReturnType<Shop['takeBack']> => shop.takeBack({ item: 'back' })
  const common = { undo, completeWithin: '6s', retry: { tries: 8, backoff: { min: '200ms', max: '400ms' } } }
  return defineWorkflow<Order>(kind, (job) => {
    const first = job.step('first', shop.sell, { item: kind === 'retried' ? 'second' : 'one' }, common)
    const after = { ...common, after: [first] }
    if (kind === 'fan') for (const id of ['a', 'b', 'c']) job.step(id, shop.sell, { item: id }, after)
    if (kind === 'limited') {
      for (const id of ['a', 'b', 'c']) {
        job.step(id, shop.sell, { item: id }, { ...after, limits: [{ key: 'shelf', atOnce: 2 }] })
      }
    }
    if (kind === 'undone' || kind === 'failed') {
      job.step('last', shop.sell, { item: 'never' }, after)
      job.onExhausted(kind === 'undone' ? 'compensate' : 'error')
      return
    }
    if (kind === 'continued') {
      const maybe = job.step('maybe', shop.sell, { item: 'never' }, { ...after, onExhausted: 'continue' })
      job.step('instead', shop.sell, { item: 'two' }, { ...common, when: condition.failed(maybe) })
      return
    }
    if (kind === 'asked') job.ask('agree', { title: 'Agreed?', after: [first] })
    if (kind === 'repeated') {
      job.repeat(
        'again',
        shop.sell,
        { item: 'one' },
        {
          ...after,
          until: (output) => condition.atLeast(output.round, 99),
          every: '100ms',
          atMost: 3,
          onExhausted: 'continue',
        },
      )
    }
    job.step('last', shop.sell, { item: 'last' }, after)
  })
}
