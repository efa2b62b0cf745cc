import { z } from 'zod'
import { withoutUndefined } from '../../platform/internal.js'
import { rowLimit } from './filters.js'
import { report } from './performed.js'
import { route } from './route.js'
import { openQuestion } from './shapes.js'

const defaultLimit = 100

const inbox = route({
  method: 'GET',
  path: '/api/inbox',
  summary: 'The questions that wait for the answer of a person, the oldest first.',
  asked: z.strictObject({
    assignee: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'Only questions that this person may answer.' }),
    workflow: z.string().min(1).optional(),
    limit: rowLimit(defaultLimit),
  }),
  answer: z.strictObject({
    questions: z.array(openQuestion),
    isCut: z.boolean().meta({ description: 'There are more questions than the limit.' }),
  }),
  handle: async ({ client }, { limit, ...filter }) => {
    const found = await client.inbox({ ...withoutUndefined(filter), limit: limit + 1 })
    return { questions: found.slice(0, limit), isCut: found.length > limit }
  },
})

const answer = route({
  method: 'POST',
  path: '/api/actions/answer',
  summary: 'Answers the question of a step. The name of the person is stored with the answer.',
  roles: ['Operator', 'Approver'],
  asked: z.strictObject({
    job: z.strictObject({ jobId: z.string().min(1), partitionKey: z.string().min(1).optional() }),
    step: z.string().min(1),
    answer: z.json().meta({ description: 'A value that fits the form of the question.' }),
    note: z.string().min(1).optional().meta({ description: 'A remark, stored with the answer.' }),
  }),
  answer: report,
  handle: async ({ client, by }, { job: { jobId, ...where }, step, answer: data, note }) => {
    await client.answer(jobId, step, data, { by, ...withoutUndefined({ ...where, note }) })
    return { isDryRun: false, done: [jobId], refused: [] }
  },
})

/** The routes about questions to people. */
export const questionRoutes = [inbox, answer]
