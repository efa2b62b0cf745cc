import type { Attention, AuditEntry, JobDocument } from '../../model/documents.js'
import type { Triage } from '../../model/readable-parts.js'
import { refused, type Operation, type Standing, type TriageCommand } from './request.js'

/** The largest number of changes of a triage that a job keeps. */
const maxChanges = 10

const nothing = { assignee: null, note: null, snoozedUntil: null }

/**
 * Writes down who looks after the problem of a job. The command asks no scheduler for anything: the flag, the
 * deadlines and the fence of the job stay, so no decision follows from the write.
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
  const { kind, stepId, since } = attention
  const isEmpty = Object.values(next).every((part) => part === null)
  const entry = { at, by, stepId, why }
  return {
    kind: 'write',
    changed: [],
    isComplete: true,
    job: {
      ...job,
      triage: isEmpty ? null : { ...next, by, at, about: { kind, stepId, since } },
      triageAudit: [...(job.triageAudit ?? []), entry].slice(-maxChanges),
      operatedAtMs: now,
    },
  }
}

function changed(wanted: string | null | undefined, present: string | null): string | null {
  return wanted === undefined ? present : wanted
}

/** Returns what operators have said about the present problem of a job, and null if they spoke of an earlier one. */
export function triageOf({ attention, triage: stored }: JobDocument): Triage | null {
  if (!stored || attention === null || !isAbout(stored.about, attention)) return null
  const { about: _about, ...told } = stored
  return told
}

type Problem = Pick<Attention, 'kind' | 'stepId' | 'since'>

/** A step in an extended wait is flagged again after each try, and a snooze must outlast these tries. */
function isAbout(about: Problem, { kind, stepId, since }: Problem): boolean {
  return about.kind === kind && about.stepId === stepId && (about.since === since || kind === 'extendedWait')
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
