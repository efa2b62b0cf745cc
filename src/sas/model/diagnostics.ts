import type { Diagnostic } from './documents.js'

/** The most entries of diagnostics kept on a document, and the most characters of any message. */
const maxDiagnostics = 10
const maxMessageLength = 2_000

/** What is kept of a message: a handler's may be of any length, a document not (I16). */
export function boundedMessage(message: string): string {
  return message.slice(0, maxMessageLength)
}

/** The newest diagnostics, bounded. */
export function withDiagnostic(diagnostics: readonly Diagnostic[], added: Diagnostic): Diagnostic[] {
  return [...diagnostics, { ...added, message: boundedMessage(added.message) }].slice(-maxDiagnostics)
}
