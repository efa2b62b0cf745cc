import { systemClock } from '../../platform/index.js'
import type { JobFilter, JobSummary } from '../../sas/index.js'
import { CliError, exitCodes } from '../cli-error.js'
import { fitted } from '../fitted.js'
import { filterOf, instantOf } from '../selection.js'
import type { SelectionOptions } from '../selection-options.js'
import { withClient, withExistingStore } from '../store.js'
import type { StoreOptions } from '../store-options.js'
import { stateText, table, type Terminal } from '../terminal.js'
import { wholeNumber } from './emulator.js'

/** Options of `stepward list`. */
export interface ListOptions extends StoreOptions, SelectionOptions {
  readonly attention?: boolean
  readonly before?: string
  readonly limit: string
}

/** The most jobs on one page: more than anybody reads. */
const mostOnPage = 10_000

/** Lists jobs, newest submission first, a page at a time. */
export async function list(options: ListOptions, terminal: Terminal): Promise<number> {
  const limit = wholeNumber('--limit', options.limit, { min: 1, max: mostOnPage })
  const filter = pageFilter(options, limit + 1)
  const found = await withExistingStore(options, (settings) =>
    withClient(settings, (client) => client.list(filter)),
  )
  const { jobs, before } = pageOf(found, limit)
  if (options.json === true) {
    terminal.print(JSON.stringify(jobs))
  } else if (jobs.length === 0) {
    terminal.print('no such jobs')
  } else {
    terminal.print(describe(jobs, terminal.width))
  }
  if (before !== null) terminal.note(`there are more: the same again with --before ${before}`)
  return exitCodes.ok
}

function describe(jobs: readonly JobSummary[], width: number): string {
  const head = ['JOB', 'WORKFLOW', 'STATE', 'STEPS', 'SUBMITTED', 'ATTENTION']
  const rows = jobs.map(({ jobId, workflow, state, stepsDone, stepCount, submittedAt, attention: flag }) => [
    jobId,
    workflow,
    state,
    `${stepsDone}/${stepCount}`,
    submittedAt.slice(0, 19),
    flag === null ? '' : [flag.kind, flag.stepId ?? ''].join(' ').trim(),
  ])
  const shown = fitted(head, rows, width)
  return table(
    head,
    shown.map((row) => row.map((cell, column) => (head[column] === 'STATE' ? stateText(cell) : cell))),
  )
}

/**
 * A page ends between two milliseconds, so that the next one, which begins before an instant, leaves none out: jobs
 * that share one with the first of the next page are left to it. More of one millisecond than fit a page are shown by
 * a larger `--limit` only. `found` has one more than the page, if there is one.
 */
function pageOf(
  found: readonly JobSummary[],
  limit: number,
): { readonly jobs: readonly JobSummary[]; readonly before: string | null } {
  const next = found[limit]
  if (next === undefined) return { jobs: found, before: null }
  const page = found.slice(0, limit)
  const whole = page.filter(({ submittedAt }) => submittedAt !== next.submittedAt)
  if (whole.length === 0) return { jobs: page, before: next.submittedAt }
  return { jobs: whole, before: new Date(Date.parse(next.submittedAt) + 1).toISOString() }
}

function pageFilter(options: ListOptions, limit: number): JobFilter {
  const { before, attention } = options
  const now = systemClock.now()
  const beforeMs = before === undefined ? undefined : instantOf(before, now)
  if (beforeMs === null) {
    const rule = 'must be a time ago such as 2h, or a date such as 2026-01-31T12:00Z'
    throw new CliError(`--before ${JSON.stringify(before)} ${rule}`, exitCodes.usage)
  }
  return {
    ...filterOf(options, now),
    limit,
    ...(beforeMs === undefined ? {} : { beforeMs }),
    ...(attention === true ? { isFlagged: true as const } : {}),
  }
}
