import { callback, duration, kind, optional, wholeNumber } from '../../platform/options.js'

const listOfText = kind<readonly string[]>('a list of texts', (value) => Array.isArray(value))

/** Advice on names of options of a workflow that other libraries use. */
export const meantOptions = {
  timeout: "completeWithin: '3d'",
  deadline: "completeWithin: '3d'",
  retention: "retainFor: '30d'",
  ttl: "retainFor: '30d'",
  schema: 'input: z.object({ … })',
  id: 'jobId: (input) => input.id',
  workflowId: 'jobId: (input) => input.id',
  idempotencyKey: 'jobId: (input) => input.id',
}

/** The options of a workflow. */
export const workflowOptions = {
  input: kind<unknown>('a schema', () => true).optional(),
  version: optional(wholeNumber(1), 1),
  secrets: optional(listOfText, []),
  parse: optional(callback()),
  jobId: optional(callback()),
  partitionKey: optional(callback()),
  priority: optional(kind<number>('a number', Number.isFinite)),
  completeWithin: optional(duration()),
  retainFor: optional(duration()),
  tags: optional(callback()),
  alongside: optional(callback()),
}
