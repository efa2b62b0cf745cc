import { condition, defineWorkflow } from '../../src/sas/index.js'
import { services } from './remote-services.js'
import { takenBack, timing, willing, type Scenario, type ScenarioInput } from './scenario.js'

const options = { ...timing, undo: takenBack }

/** A question after a step, a step for the answer yes, and a step in its place if no answer comes. */
const asked = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const reserved = job.step('reserve', services.provide, { item: 'reserve' }, options)
  const approved = job.ask('approve', {
    title: 'Ship it?',
    assignees: ['ann'],
    completeWithin: '90s',
    onExhausted: 'continue',
    after: [reserved],
  })
  const yes = condition.equal(approved.output, true)
  job.step('ship', services.provide, { item: 'ship' }, { ...options, when: yes })
  const late = { ...options, when: condition.timedOut(approved) }
  job.step('apologise', services.provide, { item: 'apologise' }, late)
})

/** The same with a reminder and an escalation before the end of the question. */
const reminded = defineWorkflow<ScenarioInput>('scenario', (job) => {
  const approved = job.ask('approve', {
    title: 'Ship it?',
    assignees: ['ann'],
    remindAfter: '20s',
    escalateAfter: '45s',
    escalateTo: ['bob'],
    completeWithin: '90s',
    onExhausted: 'continue',
  })
  job.step('ship', services.provide, { item: 'ship' }, { ...options, when: condition.timedOut(approved) })
})

const answered: Pick<Scenario, 'interventions'> = {
  interventions: [{ when: { isBegun: 'approve' }, command: { answerTo: 'approve' } }],
}

/** Stories of questions to people, in which every write meets every fault. */
export const questions: readonly Scenario[] = [
  { name: 'question', workflow: asked, moods: willing, ...answered, end: 'Processed' },
  { name: 'question-timed-out', workflow: asked, moods: willing, end: 'Processed' },
  { name: 'question-reminded', workflow: reminded, moods: willing, end: 'Processed' },
]

/** Stories of questions that meet random faults. */
export const questionStories: readonly (Omit<Scenario, 'isEndOpen'> & { readonly promise: string })[] = [
  {
    name: 'question-cancelled',
    promise: 'a job that is cancelled while a person is asked is undone, and its question is closed',
    workflow: asked,
    moods: willing,
    interventions: [{ when: { isBegun: 'approve' }, command: 'cancel' }],
    end: 'Compensated',
  },
]
