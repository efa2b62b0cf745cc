import type { Clock } from '../platform/index.js'
import { errorMessage, withinLimit } from '../platform/internal.js'

/** Counts and changes the instances of a role: in a fleet on this machine, or in an app of App Service. */
export interface ScaleTarget {
  /** A name for messages, such as `app shop-agents`. */
  readonly name: string
  /** The machine or the app of the instances, for the audit. */
  readonly place: string
  /** The role that is scaled. Null if the roles of the instances are unknown. */
  readonly role: string | null
  instances(): Promise<number>
  /** Changes the number of instances, and returns the number that is now requested. */
  scale(count: number): Promise<number>
}

/** What stands still while no instance of a role runs. */
const standingWithout: Readonly<Record<string, string>> = {
  scheduler: 'no job begins or goes on',
  agents: 'no step is carried out',
  supervisor: 'overdue steps are not recovered, and schedules submit no jobs',
  notifier: 'no event is reported',
  all: 'jobs stand still',
}

/** Returns what a person should know before a target has this number of instances. */
export function scaleWarnings(
  { name, role }: Pick<ScaleTarget, 'name' | 'role'>,
  count: number,
): readonly string[] {
  if (count > 0) return []
  if (role === null) return [`Without an instance of ${name}, the work of its roles stands still.`]
  const standing = standingWithout[role]
  if (standing === undefined) return []
  return [`Without an instance of ${role === 'all' ? 'any role' : role}, ${standing} until one runs again.`]
}

/**
 * The time within which the store must have recorded a decision. It is short, because instances are also scaled while the
 * store is away.
 */
const recordWithinMs = 5_000

/**
 * Records a decision after the instances were changed. Returns why the audit may lack it, or null. Never rejects,
 * because the change is made.
 */
export function notRecorded(clock: Clock, record: () => Promise<void>): Promise<string | null> {
  const recording = record().then(() => null, firstLine)
  const late = `the store has not answered within ${recordWithinMs / 1_000} s`
  return withinLimit(clock, recordWithinMs, recording, () => late)
}

/** Returns the first line of an error. The errors of a login have a further line for each way to log in. */
function firstLine(error: unknown): string {
  return errorMessage(error).split('\n', 1)[0] ?? ''
}
