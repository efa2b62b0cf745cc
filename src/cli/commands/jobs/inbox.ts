import { systemClock } from '../../../platform/index.js'
import type { OpenQuestion } from '../../../sas/index.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { wholeNumber } from '../../input/whole-number.js'
import { exitCodes } from '../../output/cli-error.js'
import { durationText } from '../../output/duration-text.js'
import { fitted } from '../../output/fitted.js'
import { noteWarnings, warningsIfEmpty } from './names-of-module.js'
import { table, type Terminal } from '../../output/terminal.js'

export interface InboxOptions extends StoreOptions {
  readonly assignee?: string
  readonly workflow?: string
  readonly newest?: boolean
  readonly limit: string
}

/** The largest number of questions in a list. It is more than a person reads. */
const mostListed = 10_000

/** Lists the questions that wait for an answer. */
export async function inbox(options: InboxOptions, terminal: Terminal): Promise<number> {
  const limit = wholeNumber('--limit', options.limit, { min: 1, max: mostListed })
  const { assignee, workflow, newest: newestFirst = false } = options
  const which = {
    ...(assignee === undefined ? {} : { assignee }),
    ...(workflow === undefined ? {} : { workflow }),
  }
  const { found, warnings } = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const read = await client.inbox({ ...which, newestFirst, limit: limit + 1 })
      const by = { filter: which, configured: settings.module }
      return { found: read, warnings: await warningsIfEmpty(client, read.length, by) }
    }),
  )
  noteWarnings(warnings, terminal)
  const questions = found.slice(0, limit)
  if (options.json === true) terminal.print(JSON.stringify(questions))
  else terminal.print(questions.length === 0 ? 'no question waits' : describe(questions, terminal))
  if (found.length > limit) terminal.note('there are more questions: pass a larger --limit, or a filter')
  return exitCodes.ok
}

function describe(questions: readonly OpenQuestion[], { tableWidth }: Pick<Terminal, 'tableWidth'>): string {
  const now = systemClock.now()
  const head = ['JOB', 'STEP', 'QUESTION', 'FOR', 'WAITS', 'UNTIL']
  const rows = questions.map(({ jobId, stepId, title, assignees, since, expiresAt }) => [
    jobId,
    stepId,
    title,
    assignees.length === 0 ? 'anyone' : assignees.join(', '),
    durationText(Math.max(0, now - Date.parse(since))),
    expiresAt.slice(0, 19),
  ])
  return table(head, fitted(head, rows, tableWidth))
}
