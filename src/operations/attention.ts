import type {
  JobClient,
  JobSummary,
  SelectionFilter,
  UndeliveredNotice,
  UnreadableJob,
} from '../sas/index.js'
import { isSnoozed } from '../sas/internal.js'
import { attentionGroups, missingAgentGroup, standingGroup, type AttentionGroup } from './attention-groups.js'
import { missingAgentsIn, type MissingAgent } from './lacking/missing-agents.js'
import { standingIn, startCommand, type StandingWork } from './lacking/standing-work.js'
import { looking, type UnitSelection } from './unit-selection.js'

/** The problems that need attention, in groups, and their numbers. */
export interface FoundAttention {
  readonly groups: readonly AttentionGroup[]
  /** The number of jobs that are flagged, cannot be read, or wait for an agent that no running instance has. */
  readonly jobs: number
  /** The number of notices that were given up. */
  readonly notices: number
  /** Whether jobs wait for a role that does not run. */
  readonly isStanding: boolean
  /** The number of flagged jobs that are hidden because operators snoozed them. 0 if only these are listed. */
  readonly snoozed: number
  /** The time when the first snooze of these jobs ends, in ISO-8601 UTC. Null if none is snoozed. */
  readonly nextSnoozeEnd: string | null
}

/** The problems to read. */
export interface AttentionQuestion {
  readonly filter: SelectionFilter
  readonly now: number
  /** Only flagged jobs that are assigned to this person. */
  readonly assignee?: string | undefined
  /** Only flagged jobs that are snoozed. Default: only those that are not. */
  readonly onlySnoozed?: boolean
}

/**
 * Reads the problems that need attention, of all jobs or of those that match a filter.
 *
 * @throws StoreUnavailable or StoreRefused, each with advice
 */
export async function readAttention(
  client: JobClient,
  selection: UnitSelection,
  { filter, now, assignee, onlySnoozed = false }: AttentionQuestion,
): Promise<FoundAttention> {
  // Only a flagged job has an assignee, and only a flagged job is snoozed.
  const isAboutJobs = assignee !== undefined || onlySnoozed
  const [flagged, notices, unreadable, { standing, missing }] = await Promise.all([
    client.select({ ...filter, isFlagged: true }).list(),
    isAboutJobs ? [] : undeliveredIn(client, filter),
    isAboutJobs ? [] : unreadableIn(client, filter),
    isAboutJobs ? nothingLacks : lackingIn(selection, filter, now),
  ])
  const assigned = flagged.filter(({ triage }) => assignee === undefined || triage?.assignee === assignee)
  const isHidden = ({ triage }: JobSummary): boolean => isSnoozed(triage, now)
  const jobs = assigned.filter((job) => isHidden(job) === onlySnoozed)
  const hidden = assigned.filter(isHidden)
  const ends = hidden.flatMap(({ triage }) => triage?.snoozedUntil ?? []).sort()
  const groups = [
    ...(standing === null ? [] : [standingGroup(standing, now)]),
    ...missing.map((each) => missingAgentGroup(each, startCommand(['agents'], selection))),
    ...attentionGroups(jobs, notices, unreadable, { filter, assignee, onlySnoozed, hidden }),
  ]
  const flaggedIds = new Set(jobs.map(({ jobId }) => jobId))
  const waiting = missing.flatMap(({ jobIds }) => jobIds).filter((jobId) => !flaggedIds.has(jobId))
  return {
    groups,
    jobs: jobs.length + unreadable.length + new Set(waiting).size,
    notices: notices.length,
    isStanding: standing !== null,
    snoozed: onlySnoozed ? 0 : hidden.length,
    nextSnoozeEnd: ends[0] ?? null,
  }
}

/** What jobs need and lack. */
interface Lacking {
  readonly standing: StandingWork | null
  readonly missing: readonly MissingAgent[]
}

const nothingLacks: Lacking = { standing: null, missing: [] }

/**
 * Returns the roles that do not run, and the agents that no instance has, although jobs need them. A filter that only
 * a job can fulfil finds none.
 */
async function lackingIn(selection: UnitSelection, filter: SelectionFilter, now: number): Promise<Lacking> {
  const { workflow, step } = filter
  const { isAboutAll, isAboutSteps } = aboutOf(filter)
  if (!isAboutAll && !isAboutSteps) return nothingLacks
  return looking(selection, async (looked) => {
    const [standing, missing] = await Promise.all([
      isAboutAll ? standingIn(looked, selection) : null,
      isAboutSteps ? missingAgentsIn(looked, selection, { workflow, step, now }) : [],
    ])
    return { standing, missing }
  })
}

/** Checks whether a filter selects all jobs of a time, and whether a step itself can fulfil it. */
function aboutOf({ workflow, step, ...others }: SelectionFilter) {
  const { state, tags } = others
  return {
    isAboutAll: [workflow, state, step, tags].every((value) => value === undefined),
    isAboutSteps: Object.keys(others).length === 0,
  }
}

const mostNotices = 1_000

/** Checks whether a filter concerns what only a readable job tells: its state, steps, tags or duration. */
function isAboutParts({ state, step, tags, waitingFor, agent, tookAtLeast }: SelectionFilter): boolean {
  return [state, step, tags, waitingFor, agent, tookAtLeast].some((value) => value !== undefined)
}

/** Returns undelivered notices of the selected jobs. A filter by parts of jobs finds none. */
async function undeliveredIn(
  client: JobClient,
  filter: SelectionFilter,
): Promise<readonly UndeliveredNotice[]> {
  if (isAboutParts(filter)) return []
  const { workflow, since = new Date(0), before } = filter
  const which = workflow === undefined ? {} : { workflow }
  const notices = await client.undelivered({ ...which, limit: mostNotices })
  const endMs = before?.getTime() ?? Infinity
  return notices.filter(({ at }) => Date.parse(at) >= since.getTime() && Date.parse(at) < endMs)
}

/** Returns jobs that cannot be read. A filter by parts of jobs finds none. */
async function unreadableIn(client: JobClient, filter: SelectionFilter): Promise<readonly UnreadableJob[]> {
  if (isAboutParts(filter)) return []
  const found = await client.unreadable()
  return found.filter((job) => filter.workflow === undefined || job.workflow === filter.workflow)
}
