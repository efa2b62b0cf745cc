import { ChangeFeedStartFrom, Container } from '@azure/cosmos'
import type * as Cosmos from '@azure/cosmos'
import { createRequire } from 'node:module'

/**
 * The parts of the SDK that must come from the same copy as the container. A container accepts a start
 * position only if the same copy made it.
 */
type SdkCopy = Pick<typeof Cosmos, 'ChangeFeedStartFrom' | 'Container'>

/**
 * Returns the class of start positions, from the copy of `@azure/cosmos` that made the container. A process
 * may have two copies of the same version, because `import` and `require` load different files.
 *
 * @throws TypeError if the container was made by a third copy, for example a copy of another version
 */
export function feedStartsFor(container: Container): typeof ChangeFeedStartFrom {
  const made: object = container
  if (made instanceof Container) return ChangeFeedStartFrom
  const required = requiredCopy()
  if (required !== null && made instanceof required.Container) return required.ChangeFeedStartFrom
  // If a wrapper behaves like a container, the wrapped container is assumed to come from the imported copy.
  if (made.constructor.name !== Container.name) return ChangeFeedStartFrom
  throw new TypeError(
    `container ${container.id} was made by another copy of @azure/cosmos than the one that stepward uses: ` +
      'run "npm ls @azure/cosmos", and install the version that stepward names, so that there is only ' +
      'one copy',
  )
}

/** Returns the copy that `require` finds, or null if the program was bundled into one file. */
function requiredCopy(): SdkCopy | null {
  try {
    return createRequire(import.meta.url)('@azure/cosmos') as SdkCopy
  } catch {
    return null
  }
}
