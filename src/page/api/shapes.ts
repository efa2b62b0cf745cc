import { z } from 'zod'
import { processStates } from '../../sas/internal.js'

const json = z.unknown()
export const state = z.enum(processStates)

const attention = z.strictObject({
  kind: z.enum([
    'error',
    'corrupt',
    'compensationFailed',
    'parked',
    'extendedWait',
    'unclaimed',
    'unanswered',
    'escalated',
  ]),
  since: z.string(),
  by: z.string(),
  message: z.string(),
  stepId: z.string().nullable(),
})

const said = {
  assignee: z.string().nullable(),
  note: z.string().nullable(),
  snoozedUntil: z.string().nullable(),
  by: z.string(),
  at: z.string(),
}

const triage = z
  .strictObject(said)
  .nullable()
  .meta({ description: 'What operators have said about the problem of the job.' })

const diagnostic = z.strictObject({
  at: z.string(),
  by: z.string(),
  attempt: z.number(),
  message: z.string(),
})

export const decision = z.strictObject({ at: z.string(), by: z.string(), why: z.string() })

const change = z.strictObject({
  stepId: z.string().nullable().meta({ description: 'Null for the input of the job.' }),
  path: z.string(),
  before: z.string().nullable().meta({ description: 'JSON text. Null if there was no value.' }),
  after: z.string().nullable().meta({ description: 'JSON text. Null if the value was removed.' }),
})

export const edit = z
  .strictObject({ changes: z.array(change), others: z.number() })
  .optional()
  .meta({ description: 'The changes of inputs. At most ten are listed, and `others` counts the rest.' })

const paused = z
  .strictObject({
    since: z.string(),
    by: z.string(),
    why: z.string(),
    with: z.strictObject({ kind: z.enum(['workflow', 'agent']), name: z.string() }).optional(),
  })
  .nullable()

const restartedAs = z
  .strictObject({ jobId: z.string(), from: z.string(), kept: z.array(z.string()).optional() })
  .nullable()

export const jobSummary = z.strictObject({
  jobId: z.string(),
  orderId: z.string(),
  partitionKey: z.string(),
  workflow: z.string(),
  state,
  submittedAt: z.string(),
  endedAt: z.string().nullable(),
  stepsDone: z.number(),
  stepCount: z.number(),
  attention: attention.nullable(),
  triage,
  paused,
  restartedAs,
  tags: z.record(z.string(), z.string()),
})

const advice = z.strictObject({ advice: z.string(), command: z.string() })

export const openQuestion = z.strictObject({
  jobId: z.string(),
  stepId: z.string(),
  orderId: z.string(),
  workflow: z.string(),
  partitionKey: z.string(),
  title: z.string(),
  assignees: z.array(z.string()).meta({ description: 'Empty if anyone may answer.' }),
  since: z.string(),
  expiresAt: z.string(),
  form: json.meta({ description: 'The JSON Schema of the answer.' }),
})

const computedCost = z
  .strictObject({ writes: z.number(), charge: z.number() })
  .meta({ description: 'The request units of the writes, computed from the size of the document.' })

const stepDetail = z.strictObject({
  stepId: z.string(),
  kind: z.enum(['operation', 'sleep', 'waitFor', 'gather']),
  actor: z.string(),
  agent: z.string(),
  action: z.string(),
  direction: z.enum(['do', 'undo']),
  state: z.enum([...processStates, 'Skipped', 'Failed', 'TimedOut', 'Refused']),
  currentState: z.string(),
  attempt: z.number(),
  failureCount: z.number(),
  maxFailures: z.number(),
  completeBy: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  changedAt: z.string().nullable(),
  notBefore: z.string().nullable(),
  dependsOn: z.array(z.string()),
  input: json,
  inputTemplate: json,
  output: json,
  round: z.strictObject({ number: z.number(), atMost: z.number() }).nullable(),
  collect: z
    .strictObject({
      count: z.number(),
      events: z.array(z.strictObject({ key: z.string(), payload: json, at: z.string() })),
    })
    .nullable()
    .meta({ description: 'The events that the step collects, and those that have arrived.' }),
  progress: z
    .strictObject({
      done: z.number().optional(),
      of: z.number().optional(),
      note: z.string().optional(),
      at: z.string(),
    })
    .nullable(),
  asks: z.boolean().meta({ description: 'The step waits for the answer of a person, not for an event.' }),
  question: openQuestion.nullable(),
  event: z.looseObject({ at: z.string() }).nullable(),
  outcome: z.looseObject({ kind: z.string(), at: z.string(), by: z.string() }).nullable(),
  idempotencyKey: z.string(),
  lockedBy: z.string().nullable(),
  undo: z
    .strictObject({ operation: z.string(), whenUncertain: z.boolean() })
    .nullable()
    .meta({ description: 'Null if the step cannot be undone.' }),
  previous: json.meta({ description: 'The output of the round before, or null.' }),
  cost: computedCost,
  attention: attention.nullable(),
  mayHaveActed: z.boolean(),
  diagnostics: z.array(diagnostic),
})

const notice = z.strictObject({
  seq: z.number(),
  kind: z.enum(['received', 'started', 'attention', 'finished']),
  state,
  at: z.string(),
  sentAt: z.string().nullable(),
  failureCount: z.number(),
  attention: z.looseObject({ since: z.string(), message: z.string() }).nullable(),
  resends: z.array(decision),
  receiver: z.string(),
})

export const jobDetail = z.strictObject({
  jobId: z.string(),
  orderId: z.string(),
  partitionKey: z.string(),
  workflow: z.string(),
  workflowVersion: z.number(),
  state,
  priority: z.number(),
  lockedBy: z.string().nullable(),
  submittedAt: z.string(),
  endedAt: z.string().nullable(),
  changedAt: z.string().nullable(),
  completeBy: z.string().nullable(),
  generation: z.number(),
  paused,
  restartedAs,
  restartOf: decision.extend({ jobId: z.string(), from: z.string() }).nullable(),
  tags: z.record(z.string(), z.string()),
  result: json.meta({ description: 'What the workflow returned, or null.' }),
  input: json,
  why: z.string().meta({ description: 'Why the job has not ended, or how it has ended.' }),
  attention: attention.nullable(),
  triage,
  advice: advice.nullable().meta({ description: 'What to do about the attention.' }),
  compensation: z
    .strictObject({
      since: z.string(),
      by: z.string(),
      reason: z.string(),
      thenRetry: z.boolean(),
      keeps: z.array(z.string()).optional(),
    })
    .nullable(),
  diagnostics: z.array(diagnostic),
  audit: z.array(
    decision.extend({ command: z.string(), stepId: z.string().nullable(), edit, as: z.string().optional() }),
  ),
  notices: z.array(notice),
  cost: computedCost,
  intervals: z
    .array(
      z.strictObject({
        stepId: z.string().nullable(),
        kind: z.enum(['waiting', 'running', 'backingOff', 'blocked', 'paused', 'operator', 'undoing']),
        from: z.string(),
        to: z.string().nullable().meta({ description: 'Null if it goes on.' }),
        what: z.string(),
        isExact: z.boolean().meta({ description: 'False if the time may contain waits before an attempt.' }),
      }),
    )
    .meta({ description: 'What the job and its steps did, as their documents tell.' }),
  steps: z.array(stepDetail),
})

export const attentionGroup = z.strictObject({
  workflow: z.string(),
  kind: z.string(),
  stepId: z.string().nullable(),
  message: z.string(),
  since: z.string(),
  jobIds: z.array(z.string()),
  triaged: z.array(z.strictObject({ jobId: z.string(), ...said })),
  filter: z
    .record(z.string(), z.string())
    .nullable()
    .meta({ description: 'The filter of an action on exactly these jobs. Null if there is none.' }),
  ...advice.shape,
})

export const deadLetter = z.strictObject({
  id: z.string(),
  documentId: z.string(),
  leaseToken: z.string(),
  at: z.string(),
  error: z.string().meta({
    description: 'The name of the error. Its message is not sent, because it may contain secret values.',
  }),
})

export const leaseRow = z.strictObject({
  processorName: z.string(),
  leaseToken: z.string(),
  owner: z.string().nullable(),
  isExpired: z.boolean(),
  version: z.string().nullable(),
  continuationToken: z.string().nullable(),
  renewedAt: z.string(),
  ageMs: z.number().nullable(),
  requestedBy: z.string().nullable(),
  clockOffsetMs: z.number().nullable(),
  isClockWrong: z.boolean(),
  agents: z
    .strictObject({
      slots: z.number(),
      busy: z.number(),
      openCircuits: z.array(z.string()),
      waitingSinceMs: z.number().nullable().meta({
        description:
          "The time of the oldest dispatch whose step may wait, in milliseconds by the store's clock, or null.",
      }),
      limited: z
        .array(z.strictObject({ agent: z.string(), slots: z.number(), busy: z.number() }))
        .meta({ description: 'The agents with their own number of slots.' }),
    })
    .nullable()
    .meta({ description: 'The slots and circuits of an instance of the role agents at its last renewal.' }),
  notRead: z.enum(['Java SDK', 'refused']).nullable(),
})

export const lag = z.strictObject({
  leases: z.array(
    z.looseObject({
      processorName: z.string(),
      leaseToken: z.string(),
      owner: z.string().nullable(),
      estimatedLag: z.number(),
      oldestAgeMs: z.number().nullable(),
    }),
  ),
  notEstimated: z.array(
    z.strictObject({ processorName: z.string(), leases: z.number(), reason: z.string() }),
  ),
  standing: z
    .strictObject({ waiting: z.number(), missing: z.array(z.string()), command: z.string() })
    .nullable(),
})
