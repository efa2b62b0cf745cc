import { standingText, startCommand, type StandingWork } from '../host/index.js'
import type { Attention, JobSummary, UndeliveredNotice, UnreadableJob } from '../sas/index.js'

/** Jobs with which the same is the matter. */
export interface AttentionGroup {
  readonly workflow: string
  /**
   * What is the matter with the jobs. With `notify` their submitters were not reached; `unreadable` are their documents;
   * with `nothingRuns` a role that they need does not run, and no single job is named.
   */
  readonly kind: Attention['kind'] | 'notify' | 'unreadable' | 'nothingRuns'
  readonly stepId: string | null
  /** What the newest of them says. */
  readonly message: string
  /** ISO-8601 UTC: of the oldest. */
  readonly since: string
  readonly jobIds: readonly string[]
  /** What to do about it. */
  readonly advice: string
  /** The command that does it, ready to be pasted. */
  readonly command: string
}

type About = Omit<AttentionGroup, 'advice' | 'command' | 'kind'> & {
  readonly kind: Exclude<AttentionGroup['kind'], 'nothingRuns'>
}

/** Something the matter with one job. */
type Trouble = Omit<About, 'jobIds'> & { readonly jobId: string }

/**
 * Flagged jobs, and those whose submitters were not reached, by what is the matter, the largest group first. Messages
 * that differ in numbers and ids are one.
 */
export function attentionGroups(
  jobs: readonly JobSummary[],
  notices: readonly UndeliveredNotice[],
  unreadable: readonly UnreadableJob[] = [],
): readonly AttentionGroup[] {
  const groups = new Map<string, Trouble[]>()
  const troubles = [
    ...jobs.flatMap(troubleOf),
    ...notices.map(untoldTrouble),
    ...unreadable.map(unreadableTrouble),
  ]
  for (const trouble of troubles) {
    const { workflow, kind, stepId, message } = trouble
    const key = JSON.stringify([workflow, kind, stepId, fingerprint(message)])
    groups.set(key, [...(groups.get(key) ?? []), trouble])
  }
  return [...groups.values()]
    .flatMap((members): AttentionGroup[] => {
      const [first] = members
      if (first === undefined) return []
      const { workflow, kind, stepId, message } = first
      const jobIds = [...new Set(members.map(({ jobId }) => jobId))]
      const [since = first.since] = members.map((member) => member.since).sort()
      const about = { workflow, kind, stepId, message, since, jobIds }
      return [{ ...about, ...adviceFor(about) }]
    })
    .sort((a, b) => b.jobIds.length - a.jobIds.length)
}

function troubleOf({ jobId, workflow, attention }: JobSummary): Trouble[] {
  if (attention === null) return []
  const { kind, stepId, message, since } = attention
  return [{ jobId, workflow, kind, stepId, message, since }]
}

function untoldTrouble({ jobId, workflow, message, since }: UndeliveredNotice): Trouble {
  return { jobId, workflow, kind: 'notify', stepId: null, message, since }
}

function unreadableTrouble({ jobId, workflow, reason, since, documentId }: UnreadableJob): Trouble {
  const message = `document ${documentId} cannot be read: ${reason}`
  return { jobId, workflow, kind: 'unreadable', stepId: null, message, since }
}

/** A word of a command line as a shell takes it, whatever an id holds. */
function word(text: string): string {
  return /^[\w.:@/+=-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** What two messages about the same trouble have in common. */
function fingerprint(message: string): string {
  return message.replaceAll(/"[^"]*"|'[^']*'|\b[\w-]*\d[\w-]*\b/g, '#')
}

function adviceFor({ kind, stepId, workflow, jobIds }: About): Pick<AttentionGroup, 'advice' | 'command'> {
  const [first = 'JOB'] = jobIds
  const only = word(first)
  const step = stepId === null ? '' : ` --step ${word(stepId)}`
  const which = jobIds.length === 1 ? only : `--workflow ${word(workflow)}${step}`
  const resubmit = `stepward resubmit ${which} --why TEXT`
  const release = `stepward release ${which}`
  switch (kind) {
    case 'error':
      return { advice: 'repair the cause, then try again', command: resubmit }
    case 'compensationFailed':
      return { advice: 'an undo failed: repair the cause, then try it again', command: resubmit }
    case 'corrupt':
      return {
        advice: 'its documents cannot be worked with, as the message says: mend them, then resubmit it',
        command: `stepward status ${only} --json`,
      }
    case 'parked':
      return { advice: 'it waits for you: let it go on, or cancel it', command: release }
    case 'extendedWait':
      return { advice: 'it tries again by itself; or at once', command: release }
    case 'notify':
      return {
        advice: 'the submitter was not reached: repair the receiver, then send again',
        command: `stepward resend ${which}`,
      }
    case 'unreadable':
      return {
        advice: 'nothing goes on with it: put the field right in the document, then look again',
        command: `stepward status ${only}`,
      }
    case 'unclaimed':
      return { advice: 'nobody takes it up: see who runs', command: 'stepward leases' }
  }
}

/** That jobs wait and roles do not run. */
export function standingGroup(standing: StandingWork, nowMs: number): AttentionGroup {
  return {
    workflow: 'all workflows',
    kind: 'nothingRuns',
    stepId: null,
    message: standingText(standing),
    since: new Date(nowMs).toISOString(),
    jobIds: [],
    advice: 'start the roles',
    command: startCommand(standing),
  }
}
