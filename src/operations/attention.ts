import type { JobClient, SelectionFilter, UndeliveredNotice, UnreadableJob } from '../sas/index.js'
import { attentionGroups, standingGroup, type AttentionGroup } from './attention-groups.js'
import { standingWork } from './standing-work.js'
import type { UnitSelection } from './unit-selection.js'

/** The problems that need attention, in groups, and their numbers. */
export interface FoundAttention {
  readonly groups: readonly AttentionGroup[]
  /** The number of flagged and unreadable jobs. */
  readonly jobs: number
  /** The number of notices that were given up. */
  readonly notices: number
  /** Whether jobs wait for a role that does not run. */
  readonly isStanding: boolean
}

/**
 * Reads the problems that need attention, of all jobs or of those that match a filter.
 *
 * @throws StoreUnavailable or StoreRefused, each with advice
 */
export async function readAttention(
  client: JobClient,
  selection: UnitSelection,
  { filter, now }: { readonly filter: SelectionFilter; readonly now: number },
): Promise<FoundAttention> {
  const [jobs, notices, unreadable, standing] = await Promise.all([
    client.select({ ...filter, isFlagged: true }).list(),
    undeliveredIn(client, filter),
    unreadableIn(client, filter),
    isAboutAll(filter) ? standingWork(selection) : null,
  ])
  const groups = [
    ...(standing === null ? [] : [standingGroup(standing, now)]),
    ...attentionGroups(jobs, notices, unreadable),
  ]
  return {
    groups,
    jobs: jobs.length + unreadable.length,
    notices: notices.length,
    isStanding: standing !== null,
  }
}

function isAboutAll({ workflow, state, step, tags }: SelectionFilter): boolean {
  return [workflow, state, step, tags].every((value) => value === undefined)
}

const mostNotices = 1_000

/**
 * Returns undelivered notices of the selected jobs. A notice has no state, step or tags, so a filter by one of
 * them finds none.
 */
async function undeliveredIn(
  client: JobClient,
  { workflow, state, step, tags, since = new Date(0), before }: SelectionFilter,
): Promise<readonly UndeliveredNotice[]> {
  if ([state, step, tags].some((value) => value !== undefined)) return []
  const which = workflow === undefined ? {} : { workflow }
  const notices = await client.undelivered({ ...which, limit: mostNotices })
  const endMs = before?.getTime() ?? Infinity
  return notices.filter(({ at }) => Date.parse(at) >= since.getTime() && Date.parse(at) < endMs)
}

/**
 * Returns jobs that cannot be read. Their states, steps and tags are unknown, so a filter by one of them
 * finds none.
 */
async function unreadableIn(
  client: JobClient,
  { workflow, state, step, tags }: SelectionFilter,
): Promise<readonly UnreadableJob[]> {
  if ([state, step, tags].some((value) => value !== undefined)) return []
  const found = await client.unreadable()
  return found.filter((job) => workflow === undefined || job.workflow === workflow)
}
