import { causeOf } from '../sas/internal.js'
import type { MissingAgent } from './lacking/missing-agents.js'
import { optionWords, shownOptions, word, type ShownJobs, type ShownOption } from './shown-jobs.js'
import { standingText, type StandingWork } from './lacking/standing-work.js'
import type { Attention, JobSummary, Triage, UndeliveredNotice, UnreadableJob } from '../sas/index.js'

/** Jobs with the same problem. */
export interface AttentionGroup {
  readonly workflow: string
  /**
   * `notify`: a notice to the submitter was not delivered. `unreadable`: the documents cannot be read.
   * `noAgent`: the jobs wait for an agent that no running instance has. `nothingRuns`: a role that the jobs need
   * does not run; in this case `jobIds` is empty.
   */
  readonly kind: Attention['kind'] | 'notify' | 'unreadable' | 'noAgent' | 'nothingRuns'
  readonly stepId: string | null
  /** The message of the newest job. */
  readonly message: string
  /** The time when the oldest job was flagged, in ISO-8601 UTC. */
  readonly since: string
  readonly jobIds: readonly string[]
  /** The jobs of the group that have a triage. */
  readonly triaged: readonly TriagedJob[]
  /** The options that select exactly these jobs, by their names. Null if no action is on all of them. */
  readonly filter: Readonly<Record<string, string>> | null
  readonly advice: string
  /** The next command to run, in a form that can be pasted. */
  readonly command: string
}

/** What operators have said about the problem of a job. */
export interface TriagedJob extends Triage {
  readonly jobId: string
}

const allJobs: ShownJobs = { filter: {}, onlySnoozed: false, hidden: [] }

type About = Omit<AttentionGroup, 'advice' | 'command' | 'kind' | 'filter'> & {
  readonly kind: Exclude<AttentionGroup['kind'], 'noAgent' | 'nothingRuns'>
}

type Trouble = Omit<About, 'jobIds' | 'triaged'> & { readonly jobId: string; readonly triage?: Triage | null }

/**
 * Groups flagged jobs, jobs with undelivered notices and unreadable jobs by problem, with the largest group
 * first. Messages that differ only in numbers and ids count as the same problem.
 */
export function attentionGroups(
  jobs: readonly JobSummary[],
  notices: readonly UndeliveredNotice[],
  unreadable: readonly UnreadableJob[] = [],
  shown: ShownJobs = allJobs,
): readonly AttentionGroup[] {
  const groups = new Map<string, Trouble[]>()
  const troubles = [
    ...jobs.flatMap(troubleOf),
    ...notices.map(untoldTrouble),
    ...unreadable.map(unreadableTrouble),
  ]
  for (const trouble of troubles) {
    const cause = causeOf(trouble)
    groups.set(cause, [...(groups.get(cause) ?? []), trouble])
  }
  return [...groups]
    .flatMap(([cause, members]): AttentionGroup[] => {
      const [first] = members
      if (first === undefined) return []
      const { workflow, kind, stepId, message } = first
      const jobIds = [...new Set(members.map(({ jobId }) => jobId))]
      const [since = first.since] = members.map((member) => member.since).sort()
      const triaged = members.flatMap(({ jobId, triage }) => (triage ? [{ jobId, ...triage }] : []))
      const about = { workflow, kind, stepId, message, since, jobIds, triaged }
      const only = onlyOf(about, cause, shown)
      return [{ ...about, filter: filterOf(kind, only), ...adviceFor(about, only) }]
    })
    .sort((a, b) => b.jobIds.length - a.jobIds.length)
}

/** Returns the options of exactly the jobs of a group. A notice is found only by its workflow and cause. */
function onlyOf(about: Omit<About, 'jobIds'>, cause: string, shown: ShownJobs): readonly ShownOption[] {
  const { workflow, stepId, kind } = about
  return [
    ['workflow', workflow],
    ...(stepId === null ? [] : [['step', stepId] as const]),
    ['cause', cause],
    ...(kind === 'notify' ? [] : shownOptions(shown, about)),
  ]
}

/** Returns the options as the fields of a filter, which has at most one tag. */
function filterOf(kind: About['kind'], only: readonly ShownOption[]): AttentionGroup['filter'] {
  const tags = only.filter(([name]) => name === 'tag')
  return kind === 'unreadable' || tags.length > 1 ? null : Object.fromEntries(only)
}

function troubleOf({ jobId, workflow, attention, triage }: JobSummary): Trouble[] {
  if (attention === null) return []
  const { kind, stepId, message, since } = attention
  return [{ jobId, workflow, kind, stepId, message, since, triage }]
}

function untoldTrouble({ jobId, workflow, message, since }: UndeliveredNotice): Trouble {
  return { jobId, workflow, kind: 'notify', stepId: null, message, since }
}

/** Returns the name of the cause for which a notice was not delivered. */
export function causeOfNotice(notice: UndeliveredNotice): string {
  return causeOf(untoldTrouble(notice))
}

function unreadableTrouble({ jobId, workflow, reason, since, documentId }: UnreadableJob): Trouble {
  const message = `document ${documentId} cannot be read: ${reason}`
  return { jobId, workflow, kind: 'unreadable', stepId: null, message, since }
}

/** Returns advice on the problem of one flagged job, and the next command to run. */
export function adviceOn(
  { jobId, workflow }: Pick<JobSummary, 'jobId' | 'workflow'>,
  attention: Attention,
): Pick<AttentionGroup, 'advice' | 'command'> {
  return adviceFor({ ...attention, workflow, jobIds: [jobId] })
}

/** @param only the options that select exactly the jobs, if there are several */
function adviceFor(
  { kind, stepId, jobIds }: Omit<About, 'triaged'>,
  only: readonly ShownOption[] = [],
): Pick<AttentionGroup, 'advice' | 'command'> {
  const [first = 'JOB'] = jobIds
  const job = word(first)
  const those = jobIds.length === 1 ? job : optionWords(only).trim()
  const resubmit = `stepward resubmit ${those} --why TEXT`
  const release = `stepward release ${those}`
  switch (kind) {
    case 'error':
      return { advice: 'repair the cause, then try the step again', command: resubmit }
    case 'compensationFailed':
      return { advice: 'an undo failed: repair the cause, then try the undo again', command: resubmit }
    case 'corrupt':
      return {
        advice: 'the message says how the documents are damaged: repair them, then resubmit the job',
        command: `stepward status ${job} --json`,
      }
    case 'parked':
      return { advice: 'the step waits for you: release it, or cancel the job', command: release }
    case 'extendedWait':
      return { advice: 'the step is tried again automatically; to try it now', command: release }
    case 'notify':
      return {
        advice: 'the notifier did not reach the submitter: repair the receiver, then send the notice again',
        command: `stepward resend ${those}`,
      }
    case 'unreadable':
      return {
        advice: 'the job stands still: correct the field in its document, then check the job',
        command: `stepward status ${job}`,
      }
    case 'unanswered':
    case 'escalated':
      return { advice: 'a question to people is open: answer it', command: answerTo(stepId, jobIds) }
    case 'unclaimed':
      return { advice: 'no instance works on the job: check which instances run', command: 'stepward leases' }
  }
}

/** Returns the command that answers the question of one job, or that lists the questions of several jobs. */
function answerTo(stepId: string | null, jobIds: readonly string[]): string {
  const [only] = jobIds
  return stepId === null || only === undefined || jobIds.length > 1
    ? 'stepward inbox'
    : `stepward answer ${word(only)} ${word(stepId)} --answer JSON`
}

export function standingGroup(standing: StandingWork, nowMs: number): AttentionGroup {
  return {
    workflow: 'all workflows',
    kind: 'nothingRuns',
    stepId: null,
    message: standingText(standing),
    since: new Date(nowMs).toISOString(),
    jobIds: [],
    triaged: [],
    filter: null,
    advice: 'start the roles',
    command: standing.command,
  }
}

/** Returns the group of the jobs that wait for an agent that no running instance has. */
export function missingAgentGroup(missing: MissingAgent, command: string): AttentionGroup {
  const { agent, ...about } = missing
  return {
    ...about,
    kind: 'noAgent',
    message: `no instance with leases of the agents has agent ${agent}`,
    triaged: [],
    filter: null,
    advice: `start an instance whose module exports agent ${agent}, and stop those that have leases without it`,
    command,
  }
}
