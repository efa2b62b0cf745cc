import { userInfo } from 'node:os'

/** The account that runs this; a container may have none. */
export function whoAmI(): string {
  try {
    return userInfo().username
  } catch {
    return 'operator'
  }
}
