import { ChangeFeedStartFrom, Container } from '@azure/cosmos'
import type * as Cosmos from '@azure/cosmos'
import { createRequire } from 'node:module'

/** What of the SDK must be of the copy that a container was made by: it recognises starts by their class. */
type SdkCopy = Pick<typeof Cosmos, 'ChangeFeedStartFrom' | 'Container'>

/**
 * The starts of a feed, of the copy of `@azure/cosmos` that made the container. A process may have two of one version:
 * `import` and `require` load different files.
 *
 * @throws TypeError when the container was made by a third copy, such as one of another version
 */
export function feedStartsFor(container: Container): typeof ChangeFeedStartFrom {
  const made: object = container
  if (made instanceof Container) return ChangeFeedStartFrom
  const required = requiredCopy()
  if (required !== null && made instanceof required.Container) return required.ChangeFeedStartFrom
  // Anything else that behaves like a container is believed to have one of ours inside.
  if (made.constructor.name !== Container.name) return ChangeFeedStartFrom
  throw new TypeError(
    `container ${container.id} was made by another copy of @azure/cosmos than the one that stepward uses: ` +
      'run "npm ls @azure/cosmos", and install the version that stepward names, so that there is one',
  )
}

/** What `require` finds; null where the program was bundled into one file. */
function requiredCopy(): SdkCopy | null {
  try {
    return createRequire(import.meta.url)('@azure/cosmos') as SdkCopy
  } catch {
    return null
  }
}
