/** The roles of the pattern, and `notifier`, which alerts people. Each is a deployment unit of its own. */
export const roles = ['scheduler', 'agents', 'supervisor', 'notifier'] as const
export type Role = (typeof roles)[number]

/** Returns the name of a role's deployment unit, which is the processor name of its leases. */
export function processorNameOf(role: Role, unitPrefix = 'stepward'): string {
  return `${unitPrefix}-${role}`
}

/**
 * Returns the roles that these words name; `all` means every role. Null when a word is not a role, or when there
 * are no words.
 */
export function rolesNamed(words: readonly string[]): readonly Role[] | null {
  const isKnown = words.every((word) => word === 'all' || roles.some((role) => role === word))
  if (!isKnown || words.length === 0) return null
  return words.includes('all') ? roles : roles.filter((role) => words.includes(role))
}
