import { createHash } from 'node:crypto'
import type { Diagnostic } from './documents.js'

/** The largest number of diagnostics on a document, and the largest number of characters of a message. */
const maxDiagnostics = 10
const maxMessageLength = 2_000

/** Returns the beginning of a message, because the size of a document is limited (I16). */
export function boundedMessage(message: string): string {
  return message.slice(0, maxMessageLength)
}

/**
 * Replaces the quoted texts, numbers and ids in a message, so that all jobs with the same problem give the
 * same text.
 */
function fingerprint(message: string): string {
  return message.replaceAll(/"[^"]*"|'[^']*'|\b[\w-]*\d[\w-]*\b/g, '#')
}

/** What jobs with the same cause share. `kind` is the kind of a flag, or of another problem of jobs. */
export interface Cause {
  readonly workflow: string
  readonly kind: string
  readonly stepId: string | null
  readonly message: string
}

/** Matches the names of causes. */
export const causePattern = /^[\da-f]{12}$/u

/**
 * Returns the name of the cause of a problem, which commands take. Messages that differ only in numbers and ids have the
 * same cause. The name contains nothing of the message, which may be long or contain text that a shell would run.
 */
export function causeOf({ workflow, kind, stepId, message }: Cause): string {
  const text = JSON.stringify([workflow, kind, stepId, fingerprint(message)])
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/** Returns the diagnostics, followed by the added one. Only the newest diagnostics are kept. */
export function withDiagnostic(diagnostics: readonly Diagnostic[], added: Diagnostic): Diagnostic[] {
  return [...diagnostics, { ...added, message: boundedMessage(added.message) }].slice(-maxDiagnostics)
}
