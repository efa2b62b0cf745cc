import { createHash } from 'node:crypto'
import type { JobDocument, StepDocument } from '../model/documents.js'
import type { Attention, Triage } from '../model/readable-parts.js'

/** A triage as a job keeps it, with the flag that it is about. */
export type KeptTriage = NonNullable<JobDocument['triage']>

type Triaged = Pick<JobDocument, 'triage' | 'otherTriages' | 'generation'>

/** Returns what a triage of this flag says about the flag, so that readers know the flag again. */
export function aboutFlag({ generation }: Triaged, flag: Attention): KeptTriage['about'] {
  const { kind, stepId, since, message } = flag
  return { kind, stepId, since, generation, cause: causeOf(message) }
}

/** Returns all triages of a job, that of its present flag or of the last one first. */
export function triagesOf({ triage, otherTriages = [] }: Triaged): readonly KeptTriage[] {
  return triage ? [triage, ...otherTriages] : otherTriages
}

/** Returns what operators have said about a flag of the job or of one of its steps. */
export function triageOfFlag(job: Triaged, flag: Attention | null): Triage | null {
  const kept = flag === null ? undefined : triagesOf(job).find(({ about }) => isAbout(about, flag, job))
  if (kept === undefined) return null
  const { about: _about, ...told } = kept
  return told
}

/**
 * A step in an extended wait is flagged again after each try, and a snooze must outlast these tries. It must not
 * hide a wait for another reason, or one after the job began again.
 */
function isAbout(about: KeptTriage['about'], flag: Attention, { generation }: Triaged): boolean {
  if (about.kind !== flag.kind || about.stepId !== flag.stepId) return false
  if (about.since === flag.since) return true
  if (flag.kind !== 'extendedWait') return false
  // Earlier versions did not write the generation and the cause.
  const isSameRun = (about.generation ?? generation) === generation
  return isSameRun && (about.cause ?? causeOf(flag.message)) === causeOf(flag.message)
}

/** A word with a digit, except a status of HTTP: 400 to 599, without a unit of time or size. */
const wordWithDigit = /\b(?![45]\d\d\b(?! ?(?:ms|s|bytes|RU)\b))[\w-]*\d[\w-]*\b/gu

/**
 * Returns a hash of the reason for a flag, because the message may contain a secret. The number of attempts grows
 * with each try of an extended wait, and is no part of the reason. Ids, times and sizes are no part of it either. Quoted
 * texts are, because the body of an answer may be the whole reason, and so is a status such as 401.
 */
function causeOf(message: string): string {
  const reason = message.replace(/^given up after \d+ failed attempts?: /u, '')
  return createHash('sha256').update(reason.replaceAll(wordWithDigit, '#')).digest('base64url').slice(0, 16)
}

/**
 * The ranks of the less urgent flags. Steps with these flags go on without an operator, when an agent, an answer or a
 * time comes. All other flags have rank 0, the most urgent.
 */
const ranks: Readonly<Partial<Record<Attention['kind'], number>>> = {
  unclaimed: 1,
  extendedWait: 2,
  unanswered: 2,
  escalated: 2,
}

/**
 * Returns the flag of a job whose steps have these flags, in the order of the workflow: the first flag without a
 * snooze, or else the one whose snooze ends first. So a snooze hides no problem of another step. Time does not
 * matter, because no role looks at the job when a snooze ends. Among flags with the same snooze, or without one, those
 * that need an operator come first.
 */
export function mostUrgent(job: Triaged, flags: readonly Attention[]): Attention | null {
  const [first = null, ...others] = flags
  if (first === null || others.length === 0) return first
  const isTriaged = triagesOf(job).length > 0
  const ranked = flags.map((flag) => {
    const snoozedUntil = isTriaged ? (triageOfFlag(job, flag)?.snoozedUntil ?? '') : ''
    return { flag, rank: `${snoozedUntil} ${ranks[flag.kind] ?? 0}` }
  })
  return ranked.reduce((urgent, each) => (each.rank < urgent.rank ? each : urgent)).flag
}

/** Checks whether an unknown step may have the job's next flag, because the present flag is snoozed or has ended. */
export function mayHideOthers(
  job: Triaged & Pick<JobDocument, 'attention'>,
  steps: ReadonlyMap<string, Pick<StepDocument, 'attention'>>,
): boolean {
  const { attention } = job
  if (attention === null) return false
  const step = attention.stepId === null ? undefined : steps.get(attention.stepId)
  if (step !== undefined && step.attention?.kind !== attention.kind) return true
  return (triageOfFlag(job, attention)?.snoozedUntil ?? null) !== null
}
