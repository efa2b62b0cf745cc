import { causeOf } from '../sas/internal.js'
import type { MissingAgent } from './lacking/missing-agents.js'
import { shownOptions, word, type ShownJobs } from './shown-jobs.js'
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
  readonly advice: string
  /** The next command to run, in a form that can be pasted. */
  readonly command: string
}

/** What operators have said about the problem of a job. */
export interface TriagedJob extends Triage {
  readonly jobId: string
}

const allJobs: ShownJobs = { filter: {}, onlySnoozed: false, hidden: [] }

type About = Omit<AttentionGroup, 'advice' | 'command' | 'kind'> & {
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
      return [{ ...about, ...adviceFor(about, { cause, shown: shownOptions(shown, about) }) }]
    })
    .sort((a, b) => b.jobIds.length - a.jobIds.length)
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

/** @param only what excludes other jobs of the same step: the cause of the group, and the options of the list */
function adviceFor(
  { kind, stepId, workflow, jobIds }: Omit<About, 'triaged'>,
  only = { cause: '', shown: '' },
): Pick<AttentionGroup, 'advice' | 'command'> {
  const [first = 'JOB'] = jobIds
  const job = word(first)
  const step = stepId === null ? '' : ` --step ${word(stepId)}`
  const which = `--workflow ${word(workflow)}${step} --cause ${only.cause}`
  const those = jobIds.length === 1 ? job : `${which}${only.shown}`
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
        command: `stepward resend ${jobIds.length === 1 ? job : which}`,
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
    message: `no running instance has agent ${agent}`,
    triaged: [],
    advice: `start an instance whose module exports agent ${agent}`,
    command,
  }
}
