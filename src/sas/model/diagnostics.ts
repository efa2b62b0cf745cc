import type { Diagnostic } from './documents.js'

/** The most diagnostics kept on a document, and the most characters kept of a message. */
const maxDiagnostics = 10
const maxMessageLength = 2_000

/**
 * Returns the beginning of a message. A handler may write a message of any length, but a document is bounded
 * (I16).
 */
export function boundedMessage(message: string): string {
  return message.slice(0, maxMessageLength)
}

/** Adds a diagnostic and keeps only the newest ones. */
export function withDiagnostic(diagnostics: readonly Diagnostic[], added: Diagnostic): Diagnostic[] {
  return [...diagnostics, { ...added, message: boundedMessage(added.message) }].slice(-maxDiagnostics)
}
