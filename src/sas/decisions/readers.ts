import type { JobDocument } from '../model/documents.js'
import type { ChangeFields } from '../model/delivered/state-change.js'
import type { StateWrite } from '../store/state-store.js'
import { isOver } from '../model/is-over.js'

/** The roles that read the feed, each with its own deployment unit. Hints name the role that they wake. */
export const readers = ['scheduler', 'agents', 'supervisor', 'notifier'] as const
export type Reader = (typeof readers)[number]

/**
 * Checks, for each role, whether the role must read a document. The check needs no decoding. The role ignores
 * all other documents of the feed.
 *
 * - The scheduler reads a job that is not over, and a step whose attempt has ended, that was returned to the
 *   scheduler, or whose question was flagged by the supervisor (I8). It does not read a step whose success the ledger
 *   has already. It also reads the pauses.
 * - The agents read a step whose attempt may be open.
 * - The supervisor reads a step with a deadline, a job that may make no progress, a schedule that is not
 *   paused, and pauses of which jobs must be told.
 * - The notifier reads a notice that must be sent, a flagged job, and the record of an unreadable document.
 */
export const mustRead: Readonly<Record<Reader, (document: ChangeFields) => boolean>> = {
  scheduler: (document) => {
    const { type, lockedBy, dispatch } = document
    if (type === 'sas.job') return !isOver(document as JobDocument)
    if (type === 'sas.pauses') return true
    if (type !== 'sas.step' || !(Number(dispatch) > 0)) return false
    return lockedBy === null ? !isAccepted(document) : isReminder(document)
  },
  agents: ({ type, lockedBy, outcome }) => type === 'sas.step' && lockedBy !== null && outcome === null,
  supervisor: ({ type, completeByMs, processState }) =>
    type === 'sas.step' || type === 'sas.schedule' || type === 'sas.gate' || type === 'sas.pauses'
      ? completeByMs !== null
      : type === 'sas.job' && processState !== 'Processed',
  notifier: ({ type, completeByMs, attention }) =>
    type === 'sas.unreadable' ||
    (type === 'sas.notify' && completeByMs !== null) ||
    (type === 'sas.job' && attention !== null),
}

/** Checks whether the ledger of the job has the success of this step ({@link withAcceptance}). */
function isAccepted({ processState, outcome }: ChangeFields): boolean {
  const { accepted } = (outcome ?? {}) as { readonly accepted?: unknown }
  return processState === 'Processed' && accepted === true
}

/** Checks whether the supervisor has flagged an open question. The scheduler flags its job (I8). */
function isReminder({ attention }: ChangeFields): boolean {
  const { kind } = (attention ?? {}) as { readonly kind?: unknown }
  return kind === 'unanswered' || kind === 'escalated'
}

/**
 * Returns the roles that these writes should wake. Every role that must read one of the documents is woken,
 * with two exceptions:
 *
 * - Scheduler and agents are not woken if the job is being submitted, is claimed by a scheduler, or has
 *   ended. The scheduler continues such a job without a hint, and wakes the agents for steps that could not
 *   start in its process.
 * - The supervisor is not woken for jobs, or for attempts that may be open. Their deadlines are far away, so
 *   its regular polls find them in time.
 */
export function rolesToWake(writes: readonly StateWrite[]): readonly Reader[] {
  const isSchedulers = writes.some(({ kind, document: { type, lockedBy, endedAtMs } }) => {
    return type === 'sas.job' && (kind === 'create' || lockedBy !== null || endedAtMs !== null)
  })
  const isUrgent: typeof mustRead = {
    scheduler: () => !isSchedulers,
    agents: () => !isSchedulers,
    supervisor: (document) =>
      document.type === 'sas.schedule' ||
      document.type === 'sas.pauses' ||
      (document.type === 'sas.step' && !mustRead.agents(document)),
    notifier: () => true,
  }
  return readers.filter((reader) =>
    writes.some(({ document }) => mustRead[reader](document) && isUrgent[reader](document)),
  )
}
