import { userInfo } from 'node:os'

/** Returns the name of the user who runs this process. In a container, the user may have no name. */
export function whoAmI(): string {
  try {
    return userInfo().username
  } catch {
    return 'operator'
  }
}
