import type { Attention, AuditEntry, JobDocument } from '../../model/documents.js'
import type { Triage } from '../../model/readable-parts.js'
import { aboutFlag, triageOfFlag, triagesOf } from '../../waiting/flag-triage.js'
import { isUnderWay } from '../ledger.js'
import { refused, type Operation, type Standing, type TriageCommand } from './request.js'

/** The largest number of changes of a triage that a job keeps. */
const maxChanges = 10

/** The largest number of triages of other steps that a job keeps. */
const maxOthers = 10

const nothing = { assignee: null, note: null, snoozedUntil: null }

/**
 * Writes down who looks after the problem of a job. The command asks no scheduler for anything: the flag, the
 * deadlines and the fence of the job stay, so no attempt follows from the write. A scheduler may only show the flag of
 * another step.
 */
export function triage({ job, now }: Standing, command: TriageCommand): Operation {
  const { jobId, attention } = job
  if (attention === null) return refused(`job ${jobId} needs no operator: there is no problem to triage`)
  const { assignee, note, snoozedUntil } = triageOf(job) ?? nothing
  const next = {
    assignee: changed(command.assignee, assignee),
    note: changed(command.note, note),
    snoozedUntil: changed(command.snoozedUntil, snoozedUntil),
  }
  if (next.assignee === assignee && next.note === note && next.snoozedUntil === snoozedUntil) {
    return refused(`nothing changes: the triage of job ${jobId} says this already`)
  }
  const { by, why } = command
  const at = new Date(now).toISOString()
  const { stepId } = attention
  const isEmpty = Object.values(next).every((part) => part === null)
  const entry = { at, by, stepId, why }
  return {
    kind: 'write',
    changed: [],
    isComplete: true,
    job: {
      ...job,
      triage: isEmpty ? null : { ...next, by, at, about: aboutFlag(job, attention) },
      ...othersThan(attention, job),
      triageAudit: [...(job.triageAudit ?? []), entry].slice(-maxChanges),
      operatedAtMs: now,
    },
  }
}

function changed(wanted: string | null | undefined, present: string | null): string | null {
  return wanted === undefined ? present : wanted
}

/**
 * Returns the triages to keep of other steps that are under way, because their flags may still stand. A step that
 * has ended cannot have the same flag again.
 */
function othersThan({ stepId }: Attention, job: JobDocument): Partial<Pick<JobDocument, 'otherTriages'>> {
  const others = triagesOf(job).filter(({ about }) => {
    return about.stepId !== null && about.stepId !== stepId && isUnderWay(job.steps[about.stepId])
  })
  if (others.length === 0 && job.otherTriages === undefined) return {}
  return { otherTriages: others.slice(0, maxOthers) }
}

/** Returns what operators have said about the present problem of a job, and null if they spoke of others. */
export function triageOf(job: JobDocument): Triage | null {
  return triageOfFlag(job, job.attention)
}

/** Checks whether lists of problems hide a job at this time. A snooze ends without a write. */
export function isSnoozed(told: Triage | null, now: number): boolean {
  const until = told?.snoozedUntil ?? null
  return until !== null && now < Date.parse(until)
}

/** Returns the kept decisions of operators about a job, oldest first. */
export function decisionsOf({ audit, triageAudit }: JobDocument): readonly AuditEntry[] {
  if (triageAudit === undefined) return audit
  const triaged = triageAudit.map((entry) => ({ command: 'triage' as const, ...entry }))
  return [...audit, ...triaged].sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
}
