/** Counts and changes the instances of a role: in a fleet on this machine, or in an app of App Service. */
export interface ScaleTarget {
  /** A name for messages, such as `app shop-agents`. */
  readonly name: string
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
