import { isDeepStrictEqual } from 'node:util'
import type { StepDocument } from '../documents.js'
import type { BegunAttempt } from './planned-step.js'

/** An attempt with less time has a document from the beginning, at whose deadline a supervisor looks at it. */
export const shortestInJobMs = 2_000

/** The fields that the beginning of a step changes, and that a {@link BegunAttempt} gives. */
const given: ReadonlySet<string> = new Set([
  'input',
  'lockedBy',
  'firstBy',
  'completeBy',
  'completeByMs',
  'currentState',
  'desiredState',
  'dispatch',
  'fence',
  'attempt',
  'processState',
  'undo',
  'undoTemplate',
])

/** Checks whether two versions of a step have the same fields, and differ in none but these. */
export function changesOnly(names: ReadonlySet<string>, before: StepDocument, after: StepDocument): boolean {
  // `for in` makes no list of the fields, of which almost all are the same.
  for (const name in after) {
    const value = (after as Readonly<Record<string, unknown>>)[name]
    const was = (before as Readonly<Record<string, unknown>>)[name]
    if (value !== was && !names.has(name) && !isDeepStrictEqual(value, was)) return false
  }
  for (const name in before) if (!(name in after)) return false
  return true
}

/** The agents of a process that make an attempt. */
export interface Maker {
  readonly by: string
  /** The identity of the process on its machine. Absent if it is unknown. */
  readonly process?: string
}

/** Agents that make an attempt, and the time since when. */
export interface Making extends Maker {
  readonly sinceMs: number
}

/** Returns the token with which agents claim an attempt that begins in its job. */
export function tokenInJob({ firstBy, fence }: Pick<StepDocument, 'firstBy' | 'fence'>): string {
  return `${firstBy ?? ''}/${fence}`
}

/**
 * Returns the first attempt of a step that has just begun, or null if the step needs a document, because more has changed since its
 * plan, or because it is no plain operation.
 *
 * @param before the step as its job has planned it
 */
export function begunAttemptOf(before: StepDocument, after: StepDocument): BegunAttempt | null {
  const { lockedBy, firstBy, completeByMs, input, undo, outcome } = after
  const isFirst = before.dispatch === 0 && after.dispatch === 1 && after.fence === 1 && after.attempt === 1
  if (after.kind !== 'operation' || !isFirst || outcome !== null) return null
  if (lockedBy === null || firstBy === null || completeByMs === null) return null
  if (after.isClaimRequired || after.limits !== undefined || after.repeat !== undefined) return null
  if (after.secrets !== undefined) return null
  if (!changesOnly(given, before, after)) return null
  const isBound = after.undoTemplate !== null
  return {
    input,
    lockedBy,
    firstBy,
    completeByMs,
    ...(isBound && undo !== null && { undoInput: undo.inputTemplate }),
  }
}
