/** A role of the pattern, or `notifier`, which alerts operators. Each role is a separate deployment unit. */
export type Role = 'scheduler' | 'agents' | 'supervisor' | 'notifier'

export const roles: readonly Role[] = ['scheduler', 'agents', 'supervisor', 'notifier']

/** The roles without which no job can end. */
export const neededRoles: readonly Role[] = ['scheduler', 'agents', 'supervisor']

/** Returns the name of a role's deployment unit, which is the processor name of its leases. */
export function processorNameOf(role: Role, unitPrefix = 'stepward'): string {
  return `${unitPrefix}-${role}`
}

/**
 * Returns the roles that these words name (`all` is every role), or null if a word is unknown or the list is
 * empty.
 */
export function rolesNamed(words: readonly string[]): readonly Role[] | null {
  const isKnown = words.every((word) => word === 'all' || roles.some((role) => role === word))
  if (!isKnown || words.length === 0) return null
  return words.includes('all') ? roles : roles.filter((role) => words.includes(role))
}
