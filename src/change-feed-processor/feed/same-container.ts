import type { ChangePage } from './change-feed.js'
import { ContainerReplacedError } from './errors.js'

/** The header of the service with the resource id of the container. A container that is created again has another id. */
const contentPath = 'x-ms-content-path'

/**
 * Checks that all pages come from the container that the leases are for. The positions of leases mean nothing in another container: a container
 * with the same name has its own sequence numbers, so its first changes would be left out.
 */
export class SameContainer {
  /** @param rid the resource id of the container, or null if the first page tells it */
  constructor(private rid: string | null) {}

  /** @throws ContainerReplacedError if the page comes from another container */
  check({ headers }: Pick<ChangePage<unknown>, 'headers'>): void {
    const rid = headers[contentPath]
    if (rid === undefined) return
    this.rid ??= rid
    if (rid !== this.rid) throw new ContainerReplacedError(this.rid, rid)
  }
}
