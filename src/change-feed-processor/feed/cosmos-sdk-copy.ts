import type { ChangeFeedStartFrom, Container } from '@azure/cosmos'
import type * as Cosmos from '@azure/cosmos'
import { createRequire } from 'node:module'

/**
 * The parts of the SDK that must come from the same copy as the container. A container accepts a start
 * position only if the same copy made it.
 */
type SdkCopy = Pick<typeof Cosmos, 'ChangeFeedStartFrom' | 'Container'>

/** The copy inside this package, once it is loaded. */
let own: (SdkCopy & Pick<typeof Cosmos, 'CosmosClient'>) | null = null

/** Loads the class of clients from the copy inside this package. */
export async function ownCosmosClient(): Promise<typeof Cosmos.CosmosClient> {
  own ??= await import('./cosmos-own-sdk.js')
  return own.CosmosClient
}

/**
 * Returns the class of start positions, from the copy of `@azure/cosmos` that made the container. A process
 * may have three copies of the same version: the one inside this package, and those that `import` and
 * `require` load.
 *
 * @throws TypeError if the container was made by another copy, for example a copy of another version
 */
export async function feedStartsFor(container: Container): Promise<typeof ChangeFeedStartFrom> {
  const made: object = container
  if (own !== null && made instanceof own.Container) return own.ChangeFeedStartFrom
  // The caller has loaded the SDK to make the container, so this loads only a copy that is not the caller's.
  const imported = await import('@azure/cosmos')
  if (made instanceof imported.Container) return imported.ChangeFeedStartFrom
  const required = requiredCopy()
  if (required !== null && made instanceof required.Container) return required.ChangeFeedStartFrom
  // If a wrapper behaves like a container, the wrapped container is assumed to come from the imported copy.
  if (made.constructor.name !== imported.Container.name) return imported.ChangeFeedStartFrom
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
