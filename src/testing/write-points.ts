import type { JobDocument, StepDocument, DocumentAddress, StateWrite } from '../sas/internal.js'
import { isTerminal } from '../sas/model/process-state.js'

/** The writers of the state container. */
export type Party = 'client' | 'scheduler' | 'agents' | 'supervisor' | 'notifier'

/** Returns the stored document, or undefined if there is none. */
export type Lookup = (address: DocumentAddress) => Readonly<Record<string, unknown>> | undefined

/** Returns the write point of the failure matrix, which depends on the writer and on the change. */
export function writePointOf(party: Party, writes: readonly StateWrite[], stored: Lookup): string {
  const documents = writes.map(({ document }) => document)
  const isOfGate = documents.some(({ type }) => type === 'sas.gate')
  // A job writes the gates of its own partition in its own transactions.
  if (isOfGate && documents.every(({ type }) => type !== 'sas.job')) return 'W13'
  switch (party) {
    case 'client':
      return writes.some(({ kind, document }) => kind === 'create' && document['type'] === 'sas.job')
        ? 'W0'
        : 'W10'
    case 'supervisor':
      return 'W6'
    case 'notifier':
      return 'W11'
    case 'agents':
      return documents.some((document) => document['outcome'] === null) ? 'W2' : outcomePoint(documents)
    case 'scheduler':
      return schedulingPoint(documents, stored)
  }
}

function outcomePoint(documents: readonly Readonly<Record<string, unknown>>[]): string {
  return documents.some((document) => document['direction'] === 'undo') ? 'W8' : 'W3'
}

function schedulingPoint(
  documents: readonly (Readonly<Record<string, unknown>> & DocumentAddress)[],
  stored: Lookup,
): string {
  const job = documents.find(({ type }) => type === 'sas.job') as (JobDocument & DocumentAddress) | undefined
  // A step is written without its job when a gate calls it.
  if (job === undefined) return 'W13'
  const before = stored(job) as JobDocument | undefined
  if (job.generation !== before?.generation) return 'W9'
  if (isTerminal(job)) return job.compensation === null ? 'W5' : 'W9'
  const steps = documents.filter(({ type }) => type === 'sas.step') as unknown as readonly StepDocument[]
  if (steps.some(({ direction }) => direction === 'undo')) return 'W7'
  const isClaim = Object.values(before.steps).every(({ dispatch }) => dispatch === 0)
  return isClaim ? 'W1' : 'W4'
}
