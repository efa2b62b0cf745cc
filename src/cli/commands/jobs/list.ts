import { systemClock } from '../../../platform/index.js'
import { withoutUndefined } from '../../../platform/internal.js'
import type { JobFilter, JobSummary } from '../../../sas/index.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { fitted } from '../../output/fitted.js'
import { earliest, pageAfter, pageBefore } from '../../../operations/index.js'
import { filterOf } from '../../input/selection.js'
import type { SelectionOptions } from '../../input/selection-options.js'
import { tagsText } from '../../input/tags.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { stateText, table, type Terminal } from '../../output/terminal.js'
import { noteWarnings, warningsIfEmpty } from './names-of-module.js'
import { unreadableText } from '../../output/undelivered-text.js'
import { wholeNumber } from '../../input/whole-number.js'

export interface ListOptions extends StoreOptions, SelectionOptions {
  readonly attention?: boolean
  readonly before?: string
  readonly limit: string
}

/** The largest number of jobs on one page. It is more than a person reads. */
const mostOnPage = 10_000

/** Prints one page of jobs, with the newest submission first. */
export async function list(options: ListOptions, terminal: Terminal): Promise<number> {
  const limit = wholeNumber('--limit', options.limit, { min: 1, max: mostOnPage })
  const filter = pageFilter(options, limit + 1)
  const [found, unreadable, warnings] = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const [listed, unread] = await Promise.all([client.list(filter), client.unreadable()])
      const by = { filter, configured: settings.module }
      return [listed, unread, await warningsIfEmpty(client, listed.length, by)] as const
    }),
  )
  noteWarnings(warnings, terminal)
  const jobs = found.slice(0, limit)
  const last = found.length > limit ? jobs.at(-1) : undefined
  if (options.json === true) {
    terminal.print(JSON.stringify(jobs))
  } else if (jobs.length === 0) {
    terminal.print('no job matches')
  } else {
    terminal.print(describe(jobs, terminal.tableWidth))
  }
  if (unreadable.length > 0) terminal.note(unreadableText(unreadable.length))
  if (last !== undefined)
    terminal.note(`there are more jobs: run the same command with --before ${pageAfter(last)}`)
  return exitCodes.ok
}

function describe(jobs: readonly JobSummary[], width: number): string {
  const isTagged = jobs.some(({ tags }) => Object.keys(tags).length > 0)
  const head = ['JOB', 'WORKFLOW', 'STATE', 'STEPS', 'SUBMITTED', 'ATTENTION', ...(isTagged ? ['TAGS'] : [])]
  const rows = jobs.map((job) => [
    job.jobId,
    job.workflow,
    job.state,
    `${job.stepsDone}/${job.stepCount}`,
    job.submittedAt.slice(0, 19),
    attentionText(job),
    ...(isTagged ? [tagsText(job.tags)] : []),
  ])
  const shown = fitted(head, rows, width)
  return table(
    head,
    shown.map((row) => row.map((cell, column) => (head[column] === 'STATE' ? stateText(cell) : cell))),
  )
}

function attentionText({ paused, restartedAs, attention }: JobSummary): string {
  if (paused !== null) return 'paused'
  if (restartedAs !== null) return `restarted as ${restartedAs.jobId}`
  return attention === null ? '' : [attention.kind, attention.stepId ?? ''].join(' ').trim()
}

function pageFilter(options: ListOptions, limit: number): JobFilter {
  const { before, attention } = options
  const now = systemClock.now()
  const page = before === undefined ? {} : pageBefore(before, now)
  if (page === null) {
    const rule =
      'must be an age such as 2h, a date such as 2026-01-31T12:00Z, or the value that the previous page printed'
    throw new CliError(`--before ${JSON.stringify(before)} ${rule}`, exitCodes.usage)
  }
  const filter = filterOf(options, now)
  return {
    ...filter,
    ...page,
    ...withoutUndefined({ before: earliest(filter.before, page.before) }),
    ...(attention === true ? { isFlagged: true as const } : {}),
    limit,
  }
}
