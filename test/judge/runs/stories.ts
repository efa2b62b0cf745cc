import {
  defineWorkflow,
  type JobLimit,
  type OnExhausted,
  type Step,
  type StepOptions,
  type SubmitOptions,
  condition,
} from 'stepward'
import { named, type Receipt } from './agents.js'
import type { Chance } from './chance.js'
import type { Mood } from './remote.js'
import { completeWithinMs, names } from './setup.js'

/** A step of a job, and the service's behaviour for its calls. */
interface StepStory {
  readonly id: string
  readonly after?: readonly string[]
  readonly moods?: readonly Mood[]
  /** The service's behaviour for calls of the undo, or null for a step without undo. */
  readonly undo?: readonly Mood[] | null
  readonly agent?: 'remote' | 'eager'
  readonly options?: StepOptions
  readonly kind?: 'sleep' | 'waitFor'
  /** Whether the step is skipped if the job is not a gift. */
  readonly isForGifts?: boolean
}

/** A command of an operator and its time: after a delay, or as soon as the job is in a state. */
export interface Command {
  readonly when: number | 'Error' | 'parked'
  readonly command: 'cancel' | 'resubmit' | 'release' | 'raise'
  readonly step?: string
  /** Whether the step gets another input. */
  readonly isEdited?: boolean
}

/** One job, from its submission to the last command of an operator. */
export interface JobStory {
  readonly kind: string
  readonly steps: readonly StepStory[]
  readonly onExhausted?: OnExhausted
  readonly maxGenerations?: number
  /** The limits of the whole job. */
  readonly limits?: readonly JobLimit[]
  readonly submit?: SubmitOptions
  readonly commands?: readonly Command[]
  /** Whether the same id is submitted twice at the same time, with the same input or another one. */
  readonly again?: 'same' | 'other'
}

type SendState = (chance: Chance) => Omit<JobStory, 'kind'>

const fair: readonly [readonly Mood[], ...(readonly Mood[])[]] = [
  [],
  [],
  ['slow'],
  ['lose'],
  ['busy'],
  ['late'],
]
const undoing: typeof fair = [[], ['lose'], ['slow'], ['busy'], ['late']]

function chain(
  chance: Chance,
  last: Partial<StepStory> = {},
  agent: StepStory['agent'] = 'remote',
): StepStory[] {
  const step = (id: string, after: readonly string[]): StepStory => ({
    id,
    after,
    agent,
    moods: chance.of(fair),
    undo: chance.of(undoing),
  })
  return [step('a', []), step('b', ['a']), { ...step('c', ['b']), ...last }]
}

const backoff = { min: 100, max: 200 }

function twoTries(options: StepOptions = {}): { readonly options: StepOptions } {
  return { options: { retry: { tries: 2, backoff }, ...options } }
}

/** Kinds of jobs. Each kind meets its own faults in every run; the seed decides the rest. */
export const kinds: Readonly<Record<string, SendState>> = {
  chain: (chance) => ({
    steps: chain(chance),
    ...(chance.isLucky(0.5) ? { submit: { retainFor: '1h' } } : {}),
  }),
  slow: (chance) => ({
    steps: ['a', 'b', 'c', 'd'].map((id) => ({
      id,
      moods: ['slow', 'slow', 'slow'],
      undo: chance.of(undoing),
    })),
  }),
  tight: (chance) => ({
    steps: ['a', 'b', 'c', 'd'].map((id) => ({
      id,
      moods: ['long', 'long', 'long', 'long'],
      undo: chance.of(undoing),
      options: { completeWithin: 2_800, retry: { tries: 4, backoff } },
    })),
  }),
  long: (chance) => ({
    steps: ['a', 'b', 'c', 'd'].map((id) => ({
      id,
      moods: ['long', 'long', 'long', 'long'],
      undo: chance.of(undoing),
      options: { completeWithin: 3_500, retry: { tries: 4, backoff } },
    })),
  }),
  diamond: (chance) => ({
    steps: [
      { id: 'a', moods: chance.of(fair), undo: chance.of(undoing) },
      { id: 'b', after: ['a'], moods: chance.of(fair), undo: chance.of(undoing) },
      { id: 'c', after: ['a'], moods: chance.of(fair), undo: null, isForGifts: true },
      { id: 'd', after: ['b', 'c'], moods: chance.of(fair), undo: null },
    ],
  }),
  refused: (chance) => ({
    steps: chain(chance, { moods: ['refuse'] }),
    onExhausted: 'compensate',
  }),
  lostThenRefused: (chance) => ({
    steps: chain(chance, { moods: ['lose', 'refuse'] }),
    onExhausted: 'compensate',
  }),
  eager: (chance) => ({
    steps: chain(chance, { moods: ['lose', 'refuse'] }, 'eager'),
    onExhausted: 'compensate',
  }),
  cutOff: (chance) => ({
    steps: chain(chance, { moods: [chance.of(['late', 'tardy']), 'late', 'late'], ...twoTries() }),
    onExhausted: 'compensate',
  }),
  cancelled: (chance) => ({
    steps: chain(chance, { moods: ['slow'] }),
    commands: [{ when: chance.between(50, 1_500), command: 'cancel' }],
  }),
  resubmitted: (chance) => ({
    steps: chain(chance, { moods: ['lose', 'lose'], ...twoTries() }),
    commands: [{ when: 'Error', command: 'resubmit' }],
  }),
  resubmittedThenCancelled: (chance) => ({
    steps: chain(chance, { moods: ['lose', 'lose', 'slow'], ...twoTries() }),
    commands: [
      { when: 'Error', command: 'resubmit' },
      { when: 100, command: 'cancel' },
    ],
  }),
  edited: (chance) => ({
    steps: chain(chance, { moods: ['lose', 'busy'], ...twoTries() }),
    commands: [{ when: 'Error', command: 'resubmit', step: 'c', isEdited: true }],
  }),
  parked: (chance) => ({
    steps: chain(chance, { moods: ['busy', 'busy'], ...twoTries({ onExhausted: 'park' }) }),
    commands: [{ when: 'parked', command: chance.of(['release', 'cancel']) }],
  }),
  parkedThenRefused: (chance) => ({
    steps: chain(chance, { moods: ['lose', 'lose', 'refuse'], ...twoTries({ onExhausted: 'park' }) }),
    commands: [
      { when: 'parked', command: 'release' },
      { when: 'parked', command: 'cancel' },
    ],
  }),
  undoFails: (chance) => ({
    steps: [
      { id: 'a', undo: ['refuse'] },
      { id: 'b', after: ['a'], undo: chance.of(undoing) },
      { id: 'c', after: ['b'], moods: ['refuse'] },
    ],
    onExhausted: 'compensate',
    commands: [{ when: 'Error', command: 'resubmit' }],
  }),
  claimed: (chance) => ({
    steps: chain(chance, { moods: chance.of(fair), options: { claim: true } }),
  }),
  busy: (chance) => ({
    steps: ['a', 'b', 'c', 'd'].map((id) => ({
      id,
      moods: ['busy', 'busy'],
      undo: chance.of(undoing),
    })),
  }),
  waiting: (chance) => ({
    steps: [
      { id: 'a', moods: chance.of(fair), undo: chance.of(undoing) },
      { id: 'nap', kind: 'sleep', after: ['a'] },
      { id: 'news', kind: 'waitFor', after: ['a'] },
      { id: 'b', after: ['nap', 'news'], moods: chance.of(fair), undo: null },
    ],
    commands: [{ when: chance.between(10, 900), command: 'raise', step: 'news' }],
  }),
  twice: (chance) => ({ steps: chain(chance), again: 'same' }),
  conflicting: (chance) => ({ steps: chain(chance), again: 'other' }),
  late: (chance) => ({
    steps: chain(chance, { moods: ['slow'] }),
    onExhausted: chance.of(['compensate', 'error']),
    submit: { completeWithin: '900ms' },
  }),
  parallel: (chance) => ({
    steps: [
      { id: 'a', undo: chance.of(undoing) },
      { id: 'b', after: ['a'], moods: ['slow'], undo: chance.of(undoing) },
      { id: 'c', after: ['a'], moods: ['tardy'], undo: chance.of(undoing) },
      { id: 'd', after: ['a'], moods: ['refuse'] },
    ],
    onExhausted: 'compensate',
  }),
  again: (chance) => ({
    steps: chain(chance, { moods: ['refuse'] }),
    onExhausted: 'compensateThenRetry',
    maxGenerations: 2,
  }),
  limited: (chance) => ({
    steps: ['a', 'b', 'c', 'd'].map((id, index) => ({
      id,
      moods: chance.of(fair),
      undo: chance.of(undoing),
      options: {
        limits: [index < 2 ? { key: names.limit, atOnce: 1 } : { key: 'own', atOnce: 1, perPartition: true }],
      },
    })),
    submit: { partitionKey: 'shared' },
  }),
  limitedJob: (chance) => ({
    steps: chain(chance, { moods: ['slow'] }).slice(1),
    limits: [{ key: names.limitOfJobs, atOnce: 1, perPartition: true }],
    submit: { partitionKey: 'shared' },
  }),
  sharedLimit: (chance) => ({
    steps: chain(chance, { moods: [chance.of(['slow', 'refuse'])] }).slice(1),
    onExhausted: 'compensate',
    limits: [{ key: names.limitOfJobs, atOnce: 2 }],
    ...(chance.isLucky(0.3) ? { commands: [{ when: chance.between(50, 1_500), command: 'cancel' }] } : {}),
  }),
  rated: () => ({
    steps: ['a', 'b', 'c', 'd', 'e'].map((id, index) => ({
      id,
      moods: index === 0 ? ['busy'] : [],
      options: { limits: [{ key: names.rate, perSecond: 3, burst: 2 }] },
    })),
  }),
  patient: (chance) => ({
    steps: chain(chance, {
      moods: ['busy', 'busy'],
      ...twoTries({ onExhausted: { extendedWait: '600ms' } }),
    }),
  }),
}

/** Returns a job of this kind. */
export function tell(kind: string, chance: Chance): JobStory {
  const telling = kinds[kind]
  if (telling === undefined) throw new Error(`unknown kind ${kind}; kinds: ${Object.keys(kinds).join(', ')}`)
  const story = telling(chance)
  const told = chance.isLucky(0.5) ? { replyTo: `container:${names.replies}` } : {}
  return { kind, ...story, submit: { ...told, ...story.submit } }
}

export interface JobInput {
  readonly isGift: boolean
  /** Distinguishes two submissions of one id. */
  readonly version: number
}

const defaults: StepOptions = {
  completeWithin: completeWithinMs,
  retry: { tries: 3, backoff },
}

/** Returns the workflow of a story. */
export function workflowOf({ kind, steps, onExhausted = 'error', maxGenerations, limits }: JobStory) {
  return defineWorkflow<JobInput>(kind.toLowerCase(), (job) => {
    const built = new Map<string, Step<unknown>>()
    if (limits !== undefined) job.limits(limits)
    job.onExhausted(onExhausted, maxGenerations === undefined ? {} : { maxGenerations })
    for (const { id, after = [], moods = [], undo = [], agent = 'remote', options, ...more } of steps) {
      const earlier = after.flatMap((name) => built.get(name) ?? [])
      const { act, undo: takeBack } = named[agent]
      const undoing =
        undo === null
          ? undefined
          : (output: { receipt: unknown }) => takeBack({ moods: undo, receipt: output.receipt as number })
      const step =
        more.kind === 'sleep'
          ? job.sleep(id, 300, { after: earlier })
          : more.kind === 'waitFor'
            ? job.waitFor(id, { after: earlier, completeWithin: '20s' })
            : job.step<{ moods: readonly Mood[] }, Receipt>(
                id,
                act,
                { moods },
                {
                  after: earlier,
                  ...defaults,
                  ...options,
                  ...(undoing === undefined ? {} : { undo: undoing }),
                  ...(more.isForGifts === true ? { when: condition.equal(job.input.isGift, true) } : {}),
                },
              )
      built.set(id, step)
    }
  })
}
