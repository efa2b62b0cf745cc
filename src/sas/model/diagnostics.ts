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
export function fingerprint(message: string): string {
  return message.replaceAll(/"[^"]*"|'[^']*'|\b[\w-]*\d[\w-]*\b/g, '#')
}

/** Returns the diagnostics, followed by the added one. Only the newest diagnostics are kept. */
export function withDiagnostic(diagnostics: readonly Diagnostic[], added: Diagnostic): Diagnostic[] {
  return [...diagnostics, { ...added, message: boundedMessage(added.message) }].slice(-maxDiagnostics)
}
