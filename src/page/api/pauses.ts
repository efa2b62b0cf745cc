import { z } from 'zod'
import { withoutUndefined } from '../../platform/internal.js'
import { performed, reason, report, selectionShape, type JobName, type Report } from './performed.js'
import { RequestInvalid, route } from './route.js'

/** The jobs of an action without a filter. */
const { filter: _filter, ...namedShape } = selectionShape

const pause = route({
  method: 'POST',
  path: '/api/actions/pause',
  summary: 'Lets no attempt of jobs begin until they are resumed. Attempts under way end.',
  asked: z.strictObject({ ...namedShape, why: reason }),
  answer: report,
  handle: (store, { why, ...selected }) => {
    const { client, by } = store
    const { dryRun } = selected
    const one = ({ jobId, ...where }: JobName) =>
      client.pause(jobId, why, { by, dryRun, ...withoutUndefined(where) })
    return performed(store, { command: 'pause', why }, selected, { one, all: notByFilter })
  },
})

const resume = route({
  method: 'POST',
  path: '/api/actions/resume',
  summary: 'Ends the pause of jobs. Deadlines are later by the time of the pause.',
  asked: z.strictObject({ ...namedShape, why: reason.default('resumed') }),
  answer: report,
  handle: (store, { why, ...selected }) => {
    const { client, by } = store
    const { dryRun } = selected
    const one = ({ jobId, ...where }: JobName) =>
      client.resume(jobId, { by, why, dryRun, ...withoutUndefined(where) })
    return performed(store, { command: 'resume', why }, selected, { one, all: notByFilter })
  },
})

/** Refuses a filter. The shapes of these actions have none, because their commands name each job. */
function notByFilter(): Promise<Report> {
  throw new RequestInvalid('name the jobs: this action has no filter')
}

/** The routes that pause and resume jobs. */
export const pauseRoutes = [pause, resume]
