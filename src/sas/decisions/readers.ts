import type { JobDocument } from '../model/documents.js'
import type { StateWrite } from '../store/state-store.js'
import { isOver } from '../model/is-over.js'

/** The roles that read the feed, each in its own unit. Each role is a part of the hints of a process. */
export const readers = ['scheduler', 'agents', 'supervisor', 'notifier'] as const
export type Reader = (typeof readers)[number]

/** A document as it is stored and as the feed delivers it, not decoded yet. */
type Raw = Readonly<Record<string, unknown>>

/**
 * Checks for each role whether it must read a document. Everything else that the feed delivers needs no work
 * of it, which shows before the document is decoded.
 *
 * - The scheduler reads a job that is not over, and a step whose attempt has ended or was given back (I8).
 * - The agents read a step with an attempt that may be open.
 * - The supervisor reads a step with a deadline, and a job that may stand still.
 * - The notifier reads a notice that is to be sent, a flagged job, and the record of an unreadable document.
 */
export const mustRead: Readonly<Record<Reader, (document: Raw) => boolean>> = {
  scheduler: (document) => {
    const { type, lockedBy, dispatch } = document
    if (type === 'sas.job') return !isOver(document as JobDocument)
    return type === 'sas.step' && lockedBy === null && Number(dispatch) > 0
  },
  agents: ({ type, lockedBy, outcome }) => type === 'sas.step' && lockedBy !== null && outcome === null,
  supervisor: ({ type, completeByMs, processState }) =>
    type === 'sas.step' ? completeByMs !== null : type === 'sas.job' && processState !== 'Processed',
  notifier: ({ type, completeByMs, attention }) =>
    type === 'sas.unreadable' ||
    (type === 'sas.notify' && completeByMs !== null) ||
    (type === 'sas.job' && attention !== null),
}

/**
 * Returns the roles that these writes should wake: those that must read one of the documents, except
 *
 * - scheduler and agents, if the job is submitted or a scheduler's own. The scheduler continues by itself,
 *   and wakes the agents for steps that it could not start in its process.
 * - the supervisor, for jobs and for attempts that may be open. Their deadlines are far away, so the regular
 *   polls find them in time.
 */
export function rolesToWake(writes: readonly StateWrite[]): readonly Reader[] {
  const isSchedulers = writes.some(({ kind, document: { type, lockedBy, endedAtMs } }) => {
    return type === 'sas.job' && (kind === 'create' || lockedBy !== null || endedAtMs !== null)
  })
  const isUrgent: typeof mustRead = {
    scheduler: () => !isSchedulers,
    agents: () => !isSchedulers,
    supervisor: (document) => document['type'] === 'sas.step' && !mustRead.agents(document),
    notifier: () => true,
  }
  return readers.filter((reader) =>
    writes.some(({ document }) => mustRead[reader](document) && isUrgent[reader](document)),
  )
}
