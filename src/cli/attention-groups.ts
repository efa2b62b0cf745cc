import type { Attention, JobSummary } from '../sas/index.js'

/** Jobs with which the same is the matter. */
export interface AttentionGroup {
  readonly workflow: string
  readonly kind: Attention['kind']
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

type About = Omit<AttentionGroup, 'advice' | 'command'>

/** Flagged jobs by what is the matter, the largest group first. Messages that differ in numbers and ids are one. */
export function attentionGroups(jobs: readonly JobSummary[]): readonly AttentionGroup[] {
  const groups = new Map<string, { readonly job: JobSummary; readonly attention: Attention }[]>()
  for (const job of jobs) {
    const { attention } = job
    if (attention === null) continue
    const key = JSON.stringify([
      job.workflow,
      attention.kind,
      attention.stepId,
      fingerprint(attention.message),
    ])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [{ job, attention }])
    else group.push({ job, attention })
  }
  return [...groups.values()]
    .flatMap((members): AttentionGroup[] => {
      const [first] = members
      if (first === undefined) return []
      const { job, attention } = first
      const jobIds = members.map((member) => member.job.jobId)
      const [since = attention.since] = members.map((member) => member.attention.since).sort()
      const { kind, stepId, message } = attention
      const about = { workflow: job.workflow, kind, stepId, message, since, jobIds }
      return [{ ...about, ...adviceFor(about) }]
    })
    .sort((a, b) => b.jobIds.length - a.jobIds.length)
}

/** What two messages about the same trouble have in common. */
function fingerprint(message: string): string {
  return message.replaceAll(/"[^"]*"|'[^']*'|\b[\w-]*\d[\w-]*\b/g, '#')
}

function adviceFor({ kind, stepId, workflow, jobIds }: About): Pick<AttentionGroup, 'advice' | 'command'> {
  const [only = 'JOB'] = jobIds
  const step = stepId === null ? '' : ` --step ${stepId}`
  const which = jobIds.length === 1 ? only : `--workflow ${workflow}${step}`
  const resubmit = `stepward resubmit ${which} --why TEXT`
  const release = `stepward release ${which}`
  switch (kind) {
    case 'error':
      return { advice: 'repair the cause, then try again', command: resubmit }
    case 'compensationFailed':
      return { advice: 'an undo failed: repair the cause, then try it again', command: resubmit }
    case 'corrupt':
      return {
        advice: 'somebody edited it: look at its documents',
        command: `stepward status ${only} --json`,
      }
    case 'parked':
      return { advice: 'it waits for you: let it go on, or cancel it', command: release }
    case 'extendedWait':
      return { advice: 'it tries again by itself; or at once', command: release }
    case 'unclaimed':
      return { advice: 'nobody takes it up: see who runs', command: 'stepward leases' }
  }
}
