import { defineAgent } from '../../src/sas/agents/agent.js'
import { condition } from '../../src/sas/plan/condition.js'
import type { Json } from '../../src/sas/model/documents.js'
import type { Reference } from '../../src/sas/model/values/reference.js'
import type { StepOptions } from '../../src/sas/workflow/step-options.js'
import { defineWorkflow, type WorkflowBuilder } from '../../src/sas/workflow/workflow.js'
import type { World } from './world.js'

const shop = defineAgent('shop', {
  sell: (_input: { readonly item?: unknown }): number => 1,
  list: (_input: null): readonly number[] => [],
  takeBack: (_input: { readonly sold: unknown }) => null,
})

/** Periods that are multiples of one another, so that few instants matter. */
const backoff = { min: 30_000, max: 30_000 }
const once = { tries: 1, backoff }
const twice = { tries: 2, backoff }
const takeBack = { undo: (sold: Reference<unknown>) => shop.takeBack({ sold }) } as const
const step = { completeWithin: 60_000, ...takeBack, retry: once } as const

type Options = StepOptions & { readonly undo?: typeof takeBack.undo | 'none' }
type Shape = Readonly<Record<string, readonly string[]>>

/** The defaults of a world: only handlers, processes and clocks fail. */
const calm: Omit<World, 'name' | 'plan'> = {
  jobs: 1,
  outputs: [1],
  completeWithinMs: null,
  retainForMs: null,
  commands: [],
  mostCommands: 0,
  overlaps: false,
  staleReads: false,
  tries: false,
  lateCalls: false,
  extends: false,
  stops: false,
}

/** All faults at once. */
const hostile = { overlaps: true, staleReads: true, tries: true, lateCalls: true } as const

function world(name: string, build: (job: WorkflowBuilder<Json>) => void, more: Partial<World> = {}): World {
  return { ...calm, name, plan: defineWorkflow<Json>(name, build).plan, ...more }
}

/**
 * Returns the world of a workflow with steps by id. Each step comes after the steps that it names. All have
 * these options.
 */
function shaped(name: string, shape: Shape, options: Options, more: Partial<World> = {}): World {
  const { onExhausted = 'compensate' } = options
  return world(
    name,
    (job) => {
      const built = new Map<string, { readonly id: string }>()
      for (const [id, dependencies] of Object.entries(shape)) {
        const after = [...built.values()].filter((earlier) => dependencies.includes(earlier.id))
        built.set(id, job.step(id, shop.sell, {}, { completeWithin: 60_000, ...options, after }))
      }
      job.onExhausted(onExhausted === 'continue' ? 'error' : onExhausted, { maxGenerations: 2 })
    },
    more,
  )
}

const chain: Shape = { a: [], b: ['a'] }
const pair: Shape = { a: [], b: [] }
const undoable = { ...takeBack, retry: once } as const

/**
 * A workflow with a step whose output decides about another step, and an event that a third step waits for.
 */
function undoWaitCondition(job: WorkflowBuilder<Json>): void {
  const decided = job.step('decide', shop.sell, {}, step)
  const event = job.waitFor<number>('event', { completeWithin: 60_000 })
  job.step('act', shop.sell, { item: event.output }, { ...step, when: condition.equal(decided.output, 1) })
  job.onExhausted('compensate')
}

/** A workflow with a step that may fail for good while another step waits for an event. */
function failingBesideAWait(job: WorkflowBuilder<Json>): void {
  job.step('act', shop.sell, {}, step)
  job.waitFor('event', { completeWithin: 60_000 })
  job.onExhausted('error')
}

/** A workflow with a step that the job may go on without, and a step in its place. */
function fallback(job: WorkflowBuilder<Json>): void {
  const first = job.step('a', shop.sell, {}, { ...step, ...takeBack, retry: once, onExhausted: 'continue' })
  job.step('b', shop.sell, {}, { ...step, ...takeBack, retry: once, when: condition.failed(first) })
  job.onExhausted('compensate')
}

/** Worlds whose every state can be visited within seconds. */
export const smallWorlds: readonly World[] = [
  shaped('one-step', { a: [] }, undoable, {
    overlaps: true,
    tries: true,
    lateCalls: true,
    commands: ['cancel', 'resubmit'],
    mostCommands: 1,
  }),
  shaped('stopping', { a: [] }, undoable, {
    overlaps: true,
    lateCalls: true,
    stops: true,
    commands: ['cancel'],
    mostCommands: 1,
  }),
  shaped(
    'stopping-claimed',
    { a: [] },
    { ...undoable, claim: true },
    {
      lateCalls: true,
      extends: true,
      stops: true,
      commands: ['cancel'],
      mostCommands: 1,
    },
  ),
  shaped(
    'resubmitted',
    { a: [] },
    { ...undoable, onExhausted: 'error' },
    {
      commands: ['edit', 'cancel'],
      mostCommands: 2,
    },
  ),
  shaped('retried', { a: [] }, { ...undoable, retry: twice }, { tries: true, overlaps: true }),
  shaped('chain', chain, undoable, { lateCalls: true, staleReads: true }),
  shaped('pair', pair, { ...undoable, undoUncertain: false }, { lateCalls: true }),
  shaped(
    'parked',
    { a: [] },
    { ...undoable, onExhausted: 'park' },
    {
      lateCalls: true,
      commands: ['release', 'cancel'],
      mostCommands: 2,
    },
  ),
  shaped(
    'waiting-long',
    { a: [] },
    { ...undoable, onExhausted: { extendedWait: 60_000 } },
    {
      commands: ['cancel'],
      mostCommands: 1,
    },
  ),
  shaped(
    'again',
    chain,
    { ...undoable, onExhausted: 'compensateThenRetry' },
    { lateCalls: true, staleReads: true },
  ),
  shaped('again-beside', pair, { retry: once, undo: 'none', onExhausted: 'compensateThenRetry' }),
  world('failing-beside-a-wait', failingBesideAWait, { staleReads: true }),
  shaped('claimed', { a: [] }, { ...undoable, claim: true }, { tries: true }),
  shaped('extended', { a: [] }, undoable, { extends: true, overlaps: true, completeWithinMs: 180_000 }),
  shaped('overdue', chain, undoable, { lateCalls: true, completeWithinMs: 90_000 }),
  shaped(
    'without-undo',
    pair,
    { retry: once, undo: 'none', onExhausted: 'error' },
    {
      commands: ['resubmit'],
      mostCommands: 1,
    },
  ),
  world('fallback', fallback, { lateCalls: true, overlaps: true, staleReads: true }),
  shaped('kept', chain, undoable, { retainForMs: 60_000 }),
]

/** Every shape of three steps in which the third comes after none, one or both of the others. */
const ofThree: readonly (readonly [string, Shape])[] = [[], ['a'], ['b'], ['a', 'b']].flatMap((last) => [
  [`chain-${last.join('') || 'free'}`, { ...chain, c: last }] as const,
  [`pair-${last.join('') || 'free'}`, { ...pair, c: last }] as const,
])

/** Worlds for a long run. */
const largeWorlds: readonly World[] = [
  shaped(
    'triaged',
    pair,
    { completeWithin: 30_000, retry: once, undo: 'none', onExhausted: 'park' },
    { commands: ['snooze', 'assign', 'release shown'], mostCommands: 3 },
  ),
  ...ofThree.map(([name, shape]) => shaped(name, shape, undoable, { lateCalls: true, staleReads: true })),
  shaped(
    'one-step-hostile',
    { a: [] },
    { ...undoable, retry: twice },
    { ...hostile, commands: ['cancel', 'resubmit', 'edit'], mostCommands: 2 },
  ),
  shaped(
    'resubmitted-hostile',
    { a: [] },
    { ...undoable, onExhausted: 'error' },
    {
      ...hostile,
      commands: ['resubmit', 'edit', 'cancel'],
      mostCommands: 2,
    },
  ),
  shaped(
    'chain-resubmitted',
    chain,
    { ...undoable, onExhausted: 'error' },
    {
      lateCalls: true,
      commands: ['resubmit', 'edit', 'cancel'],
      mostCommands: 2,
    },
  ),
  shaped('chain-hostile', chain, undoable, { ...hostile, commands: ['cancel', 'resubmit'], mostCommands: 1 }),
  shaped('pair-hostile', pair, undoable, { ...hostile, commands: ['cancel', 'resubmit'], mostCommands: 1 }),
  world('undo-wait-condition', undoWaitCondition, {
    outputs: [1, 2],
    lateCalls: true,
    staleReads: true,
    tries: true,
    commands: ['cancel', 'resubmit'],
    mostCommands: 1,
  }),
  world(
    'fan-out',
    (job) => {
      const listed = job.step('list', shop.list, null, step)
      job.forEach('each', listed.output, (item) => shop.sell({ item }), { ...step, atMost: 1 })
      job.onExhausted('compensate')
    },
    { outputs: [[], [1], [1, 2]], lateCalls: true, staleReads: true },
  ),
  shaped(
    'claimed-hostile',
    { a: [] },
    { ...undoable, claim: true, retry: twice },
    { ...hostile, extends: true },
  ),
  shaped('extended-hostile', { a: [] }, undoable, { ...hostile, extends: true, completeWithinMs: 180_000 }),
  world('two-jobs', undoWaitCondition, { jobs: 2, outputs: [1, 2] }),
  world('two-jobs-hostile', undoWaitCondition, {
    jobs: 2,
    outputs: [1, 2],
    overlaps: true,
    lateCalls: true,
    staleReads: true,
    commands: ['cancel', 'resubmit'],
    mostCommands: 1,
  }),
]

export const worlds: readonly World[] = [...smallWorlds, ...largeWorlds]

export function worldNamed(name: string): World {
  const found = worlds.find((world) => world.name === name)
  if (found !== undefined) return found
  throw new Error(
    `there is no world ${JSON.stringify(name)}; there are ${worlds.map((world) => world.name).join(', ')}`,
  )
}
