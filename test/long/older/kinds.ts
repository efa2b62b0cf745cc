import type { Agent, StepOptions, SubmitOptions, Workflow } from 'stepward'
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
  collected: 'Processed',
  urgent: 'Processed',
  'limited-job': 'Processed',
  partition: 'Processed',
  'partition-of-jobs': 'Processed',
  'partition-undone': 'Compensated',
}

/** Returns the options of the submission of a kind. */
export function optionsOf(kind: string): SubmitOptions {
  if (kind === 'urgent') return { priority: 5 }
  return kind.startsWith('partition') ? { partitionKey: 'shared' } : {}
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

/** The limits of the steps of a kind. */
const stepLimits: Readonly<Record<string, StepOptions['limits'] & {}>> = {
  limited: [{ key: 'shelf', atOnce: 2 }],
  urgent: [{ key: 'counter', atOnce: 1 }],
  partition: [{ key: 'card', atOnce: 1, perPartition: true }],
  'partition-undone': [{ key: 'card', atOnce: 1, perPartition: true }],
}

/** Returns the workflow of a kind, as the given build defines it. */
export function workflowOf({ defineWorkflow, condition }: Build, shop: Shop, kind: string): Workflow<Order> {
  const undo = (): ReturnType<Shop['takeBack']> => shop.takeBack({ item: 'back' })
  const common = { undo, completeWithin: '6s', retry: { tries: 8, backoff: { min: '200ms', max: '400ms' } } }
  return defineWorkflow<Order>(kind, (job) => {
    const first = job.step('first', shop.sell, { item: kind === 'retried' ? 'second' : 'one' }, common)
    const after = { ...common, after: [first] }
    if (kind === 'fan') for (const id of ['a', 'b', 'c']) job.step(id, shop.sell, { item: id }, after)
    if (kind in stepLimits) {
      for (const id of ['a', 'b', 'c']) {
        job.step(id, shop.sell, { item: id }, { ...after, limits: stepLimits[kind] ?? [] })
      }
    }
    if (kind === 'limited-job') job.limits([{ key: 'till', atOnce: 2 }])
    if (kind === 'partition-of-jobs') job.limits([{ key: 'till', atOnce: 1, perPartition: true }])
    if (kind === 'undone' || kind === 'failed' || kind === 'partition-undone') {
      job.step('last', shop.sell, { item: 'never' }, after)
      job.onExhausted(kind === 'failed' ? 'error' : 'compensate')
      return
    }
    if (kind === 'continued') {
      const maybe = job.step('maybe', shop.sell, { item: 'never' }, { ...after, onExhausted: 'continue' })
      job.step('instead', shop.sell, { item: 'two' }, { ...common, when: condition.failed(maybe) })
      return
    }
    if (kind === 'collected') job.waitFor('news', { count: 2, after: [first], completeWithin: '10m' })
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
