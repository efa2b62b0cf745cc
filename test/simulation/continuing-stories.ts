import { condition, defineWorkflow, text, type OnExhausted } from '../../src/sas/index.js'
import { services, type Asked, type Moods } from './remote-services.js'
import {
  takenBack,
  timing,
  willing,
  type Intervention,
  type Scenario,
  type ScenarioInput,
} from './scenario.js'

const options = { ...timing, undo: takenBack }

/** A payment by card with another payment in its place, and a step that takes whichever succeeded. */
const fallback = (policy: OnExhausted) =>
  defineWorkflow<ScenarioInput>('scenario', (job) => {
    const reserved = job.step('reserve', services.provide, { item: 'reserve' }, options)
    const card = { ...options, after: [reserved], onExhausted: 'continue' } as const
    const charged = job.step('charge', services.provide, { item: 'charge' }, card)
    const other = { ...options, when: condition.failed(charged) }
    const invoiced = job.step('invoice', services.provide, { item: 'invoice' }, other)
    const paid = condition.any(condition.done(charged), condition.done(invoiced))
    const item = text`${charged.output.item}${invoiced.output.item}`
    job.step('ship', services.provide, { item }, { ...options, when: paid })
    job.onExhausted(policy)
  })

/** An approval that is reminded of and then left out, and a step for each answer. */
const reminded = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const wait = { completeWithin: '50s', onExhausted: 'continue' } as const
  const reserved = job.step('reserve', services.provide, { item: 'reserve' }, options)
  const approval = job.waitFor<Asked>('approve', { ...wait, after: [reserved] })
  const late = { ...options, when: condition.timedOut(approval) }
  const asked = job.step('remind', services.provide, { item: 'remind' }, late)
  const in2 = job.waitFor<Asked>('approve-late', { ...wait, when: condition.done(asked) })
  const yes = condition.any(condition.done(approval), condition.done(in2))
  job.step('ship', services.provide, { item: 'ship' }, { ...options, when: yes })
  job.step('escalate', services.provide, { item: 'escalate' }, { ...options, when: condition.timedOut(in2) })
})

/** A timer beside a step, and a step that runs only if the step is not done when the timer ends. */
const hurried = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const charged = job.step('charge', services.provide, { item: 'charge' }, options)
  const soon = job.sleep('soon', '1s')
  const isLate = condition.not(condition.doneSoFar(charged))
  const hurry = job.step(
    'hurry',
    services.provide,
    { item: 'hurry' },
    { ...options, after: [soon], when: isLate },
  )
  job.step('ship', services.provide, { item: 'ship' }, { ...options, after: [charged, hurry] })
})

/** A timer that an approval cuts short, and a step that runs only if the approval does not come in time. */
const cutShort = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const reserved = job.step('reserve', services.provide, { item: 'reserve' }, options)
  const approval = job.waitFor<Asked>('approve', { after: [reserved] })
  const long = job.sleep('long', '1d', { after: [reserved], orUntil: approval })
  const isOpen = condition.not(condition.doneSoFar(approval))
  job.step('remind', services.provide, { item: 'remind' }, { ...options, after: [long], when: isOpen })
  job.step('ship', services.provide, { item: approval.output.item }, options)
})

const failing =
  (stepIds: readonly string[], mood: ReturnType<Moods>): Moods =>
  ({ stepId, isUndo }) =>
    !isUndo && stepIds.includes(stepId) ? mood : 'willing'

const cardUnheard: Moods = (call) => {
  if (call.isUndo || call.stepId !== 'charge')
    return call.stepId === 'ship' && !call.isUndo ? 'unable' : 'willing'
  return 'unheard'
}

const raise = (stepId: string): Intervention['command'] => ({ raiseEventFor: stepId })

/** Stories whose every write meets every fault. The job goes on without one of its steps. */
export const continuing: readonly Scenario[] = [
  { name: 'fallback', workflow: fallback('error'), moods: failing(['charge'], 'unable'), end: 'Processed' },
  { name: 'event-timed-out', workflow: reminded, moods: willing, end: 'Processed' },
]

/** Stories of jobs that go on without a step, which meet faults by chance. */
export const continuingStories: readonly (Omit<Scenario, 'isEndOpen'> & { readonly promise: string })[] = [
  {
    name: 'fallback-unheard',
    promise: 'what took effect in a step that the job went on without is undone, after what came after it',
    workflow: fallback('compensate'),
    moods: cardUnheard,
    end: 'Compensated',
  },
  {
    name: 'fallback-cancelled',
    promise: 'a cancel after a fallback undoes the fallback and what the first step may have done',
    workflow: fallback('error'),
    moods: failing(['charge'], 'unheard'),
    workMs: 3_000,
    interventions: [{ when: { isDone: 'invoice' }, command: 'cancel' }],
    end: 'Compensated',
  },
  {
    name: 'fallback-again',
    promise: 'a new generation asks again, and its first step is done once',
    workflow: fallback('compensateThenRetry'),
    moods: ({ stepId, isUndo, count }) =>
      !isUndo && count === 1 && (stepId === 'charge' || stepId === 'ship') ? 'unable' : 'willing',
    end: 'Processed',
  },
  {
    name: 'fallback-resubmitted',
    promise: 'a resubmission of a later step repeats neither the fallback nor the step that it replaced',
    workflow: fallback('error'),
    moods: ({ stepId, isUndo, count }) => {
      if (isUndo) return 'willing'
      return stepId === 'charge' || (stepId === 'ship' && count === 1) ? 'unable' : 'willing'
    },
    interventions: [{ when: { state: 'Error' }, command: 'resubmit' }],
    end: 'Processed',
  },
  {
    name: 'both-ways-fail',
    promise: 'a job whose ways on all fail is undone',
    workflow: fallback('compensate'),
    moods: failing(['charge', 'invoice'], 'unable'),
    end: 'Compensated',
  },
  {
    name: 'reminder-answered',
    promise: 'an approval that comes after the reminder is heard, and nothing is escalated',
    workflow: reminded,
    moods: willing,
    interventions: [{ when: { isDone: 'remind' }, command: raise('approve-late') }],
    end: 'Processed',
  },
  {
    name: 'approved-at-once',
    promise: 'an approval in time is heard, and no reminder is sent',
    workflow: reminded,
    moods: willing,
    interventions: [{ when: { isDone: 'reserve' }, command: raise('approve') }],
    end: 'Processed',
  },
  {
    name: 'cut-short',
    promise: 'a timer that is not needed any more ends, whatever happens at that moment',
    workflow: cutShort,
    moods: willing,
    interventions: [{ when: { isDone: 'reserve' }, command: raise('approve') }],
    end: 'Processed',
  },
  {
    name: 'hurried',
    promise: 'a question for what is done so far is answered once, whatever ends at the same moment',
    workflow: hurried,
    moods: willing,
    workMs: 2_000,
    end: 'Processed',
  },
]
