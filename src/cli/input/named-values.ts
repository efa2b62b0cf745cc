import type { Argument, Option } from 'commander'
import type { Role } from '../../connection/index.js'
import type { ProcessState, WaitKind } from '../../sas/index.js'
import type { TriageTexts } from '../../sas/internal.js'

// These names are repeated here. Importing them would load other rooms and slow down the help.
const roles: Readonly<Record<Role, true>> = {
  scheduler: true,
  agents: true,
  supervisor: true,
  notifier: true,
}

export const roleWords: readonly string[] = [...Object.keys(roles), 'all']

const states: Readonly<Record<ProcessState, true>> = {
  Pending: true,
  Processing: true,
  Processed: true,
  Error: true,
  Compensating: true,
  Compensated: true,
}
export const stateNames: readonly string[] = Object.keys(states)

const waits: Readonly<Record<WaitKind, true>> = {
  question: true,
  event: true,
  time: true,
  retry: true,
  limit: true,
}
export const waitNames: readonly string[] = Object.keys(waits)

const clearable: Readonly<Record<NonNullable<TriageTexts['clear']>, true>> = {
  all: true,
  assignee: true,
  note: true,
  snooze: true,
}
export const clearNames: readonly string[] = Object.keys(clearable)

/** Shows the possible values in the help and the completion. The command itself must refuse other values. */
export function withValues<Part extends Argument | Option>(part: Part, values: readonly string[]): Part {
  part.argChoices = [...values]
  return part
}
