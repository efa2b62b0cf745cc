/** The roles of people. A person may have several. */
export const pageRoles = ['Viewer', 'Operator', 'Approver', 'Admin'] as const

export type PageRole = (typeof pageRoles)[number]

/** A person who uses the page. */
export interface Person {
  /** The name that is stored with decisions. */
  readonly by: string
  readonly roles: readonly PageRole[]
  /** The time after which the person must sign in again. Omitted: never. */
  readonly untilMs?: number
}

/** The part of a route that says who may use it. */
interface Guarded {
  readonly method: string
  /** The roles besides Admin that may use the route. Default: every role to read, and Operator to act. */
  readonly roles?: readonly PageRole[]
}

/** Decides whether a person may use a route. An Admin may use all. */
export function mayUse({ roles: own }: Person, { method, roles }: Guarded): boolean {
  const permitted = roles ?? (method === 'GET' ? pageRoles : ['Operator'])
  return own.some((role) => role === 'Admin' || permitted.includes(role))
}
