import { counted } from '../../platform/internal.js'

/**
 * Returns a number of instances with their role, such as `2 instances of agents`. Leaves out the role `all`.
 */
export function instancesText(count: number, role: string): string {
  return `${counted(count, 'instance')}${role === 'all' ? '' : ` of ${role}`}`
}
