import { userInfo } from 'node:os'

/** Returns the name of the user who runs this process, which may be missing in a container. */
export function whoAmI(): string {
  try {
    return userInfo().username
  } catch {
    return 'operator'
  }
}
