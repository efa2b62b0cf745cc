import { z } from 'zod'
import { withoutUndefined } from '../../platform/internal.js'
import { clearable, triageParts } from '../../sas/internal.js'
import { copied } from './actions.js'
import { selectedBy } from './filters.js'
import { performed, report, selectionShape } from './performed.js'
import { RequestInvalid, route } from './route.js'

const part = z.string().trim().min(1).optional()

const triage = route({
  method: 'POST',
  path: '/api/actions/triage',
  summary: 'Says who looks after jobs that need an operator, with a note, and hides them for a time.',
  asked: z.strictObject({
    ...selectionShape,
    assign: part.meta({ description: 'The person who looks after the problem.' }),
    note: part,
    snooze: part.meta({ description: 'A duration such as 2h, or a date.' }),
    clear: z.enum(clearable).optional().meta({ description: 'What to remove.' }),
  }),
  answer: report,
  handle: async (store, { assign, note, snooze, clear, ...selected }) => {
    const { client, by, clock } = store
    const parts = triageParts({ assign, note, snooze, clear })
    if (typeof parts === 'string') throw new RequestInvalid(parts)
    const { dryRun } = selected
    return performed(store, 'triage', selected, {
      one: ({ jobId, ...where }) =>
        client.triage(jobId, { ...parts, by, dryRun, ...withoutUndefined(where) }),
      all: async (filter, progress) => {
        const selection = client.select({ ...selectedBy(filter, clock.now()), isFlagged: true })
        return copied(await selection.triage({ ...parts, by, dryRun, ...progress }))
      },
    })
  },
})

export const triageRoutes = [triage]
