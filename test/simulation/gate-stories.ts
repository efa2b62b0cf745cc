import type { Limit } from '../../src/sas/index.js'
import { fan, timing, unableAt, willing, workflowOf, type Scenario } from './scenario.js'
import type { StoryOfJob } from './stories.js'

const bank: Limit = { key: 'bank', atOnce: 1 }

/** Three steps in parallel that share a limit, between two others. */
const limited = (limit: Limit, options = {}) => {
  const each = { ...timing, ...options, limits: [limit] }
  return workflowOf(fan, { onExhausted: 'compensate' }, { of: { hotel: each, flight: each, car: each } })
}

/** A workflow whose jobs run one after another, and two steps of each job also share a limit. */
const ofJobs = (onExhausted: 'error' | 'compensateThenRetry' = 'error') =>
  workflowOf(
    fan,
    { onExhausted },
    {
      limits: [{ key: 'tenant', atOnce: 1 }],
      of: { hotel: { ...timing, limits: [bank] }, flight: { ...timing, limits: [bank] } },
    },
  )

/** A limit that lives in the partition of its jobs, and is part of their transactions. */
const own: Limit = { key: 'own', atOnce: 1, perPartition: true }

/** Steps and jobs that share limits of their partition. */
const inPartition = workflowOf(
  fan,
  { onExhausted: 'compensate' },
  {
    partitionKey: 'tenant',
    limits: [{ key: 'tenant', atOnce: 2, perPartition: true }],
    of: { hotel: { ...timing, limits: [own] }, flight: { ...timing, limits: [own, bank] } },
  },
)

/** A job that enters limits of its partition in the transaction that submits it: with itself, and with its first step. */
const fromTheStart = workflowOf(
  { book: [], confirm: ['book'] },
  {},
  {
    limits: [{ key: 'tenant', atOnce: 2, perPartition: true }],
    of: { book: { ...timing, limits: [own] } },
  },
)

/** Stories of steps with limits, in which every write meets every fault. */
export const gates: readonly Scenario[] = [
  { name: 'gate', workflow: limited(bank), moods: willing, end: 'Processed' },
  { name: 'gate-together', workflow: limited(bank), moods: willing, isTogether: true, end: 'Processed' },
  {
    // Each leave waits for another wish, so a process may die in this time.
    name: 'gate-room',
    workflow: limited({ key: 'bank', atOnce: 3 }),
    moods: willing,
    isTogether: true,
    end: 'Processed',
  },
  {
    name: 'gate-retry',
    workflow: limited(bank, { retry: { tries: 5, backoff: { min: '1s', max: '2s' } } }),
    moods: ({ stepId, count }) => (stepId === 'flight' && count === 1 ? 'busy' : 'willing'),
    end: 'Processed',
  },
  { name: 'gate-job', workflow: ofJobs(), moods: willing, end: 'Processed' },
  { name: 'gate-job-together', workflow: ofJobs(), moods: willing, isTogether: true, end: 'Processed' },
  {
    name: 'gate-job-undone',
    workflow: ofJobs('compensateThenRetry'),
    moods: unableAt('confirm', 1),
    end: 'Processed',
  },
  { name: 'gate-own', workflow: limited(own), moods: willing, end: 'Processed' },
  { name: 'gate-own-together', workflow: limited(own), moods: willing, isTogether: true, end: 'Processed' },
  { name: 'gate-own-begun', workflow: fromTheStart, moods: willing, isInside: true, end: 'Processed' },
  { name: 'gate-own-job', workflow: inPartition, moods: unableAt('confirm'), end: 'Compensated' },
  { name: 'gate-undone', workflow: limited(bank), moods: unableAt('confirm'), end: 'Compensated' },
  {
    name: 'gate-rate',
    workflow: limited({ key: 'bank', atOnce: 2, perSecond: 0.5, burst: 1 }),
    moods: willing,
    end: 'Processed',
  },
]

/** Stories of steps with limits that meet random faults. */
export const gateStories: readonly StoryOfJob[] = [
  {
    name: 'gate-shared',
    promise: 'jobs that share a limit are never at work together beyond it, and none is left behind',
    workflow: limited({ key: 'shared', atOnce: 3 }),
    moods: willing,
    end: 'Processed',
  },
  {
    name: 'gate-rated',
    promise: 'attempts that wait for a rate have times that never exceed it, and none is left behind',
    workflow: limited({ key: 'rated', atOnce: 6, perSecond: 1, burst: 2 }),
    moods: willing,
    end: 'Processed',
  },
  {
    name: 'gate-jobs',
    promise: 'jobs that share a limit of jobs never run together beyond it, and none is left behind',
    workflow: workflowOf(fan, {}, { limits: [{ key: 'tenant', atOnce: 4 }] }),
    moods: willing,
    end: 'Processed',
  },
  {
    name: 'gate-partition',
    promise:
      'jobs of a partition never exceed its limits, which are part of their transactions, and none is left behind',
    workflow: inPartition,
    moods: willing,
    end: 'Processed',
  },
  {
    name: 'gate-jobs-cancelled',
    promise: 'a job that is cancelled while it runs or waits leaves its limit to other jobs',
    workflow: workflowOf(fan, {}, { limits: [{ key: 'tenant', atOnce: 4 }] }),
    moods: willing,
    interventions: [{ when: { isBegun: 'car' }, command: 'cancel' }],
    end: 'Compensated',
    otherEnds: ['Processed'],
  },
  {
    name: 'gate-cancelled',
    promise: 'a job that is cancelled while it waits at a gate leaves the gate to others',
    workflow: limited({ key: 'shared', atOnce: 3 }),
    moods: willing,
    interventions: [{ when: { isBegun: 'car' }, command: 'cancel' }],
    end: 'Compensated',
    otherEnds: ['Processed'],
  },
]
