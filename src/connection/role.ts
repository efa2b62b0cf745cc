/** The roles of the pattern, and the one that tells people; each is a deployment unit of its own. */
export const roles = ['scheduler', 'agents', 'supervisor', 'notifier'] as const
export type Role = (typeof roles)[number]

/** The name of a role's deployment unit, under which its leases are found. */
export function processorNameOf(role: Role, unitPrefix = 'stepward'): string {
  return `${unitPrefix}-${role}`
}

/** The roles that these words name; `all` stands for every one. Null when a word names none, or there is no word. */
export function rolesNamed(words: readonly string[]): readonly Role[] | null {
  const isKnown = words.every((word) => word === 'all' || roles.some((role) => role === word))
  if (!isKnown || words.length === 0) return null
  return words.includes('all') ? roles : roles.filter((role) => words.includes(role))
}
