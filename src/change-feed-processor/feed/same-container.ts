import type { ChangeFeed, ChangePage } from './change-feed.js'
import { ContainerReplacedError } from './errors.js'

/** The header of the service with the resource id of the container. A container that is created again has another id. */
const contentPath = 'x-ms-content-path'

/**
 * Checks that all pages come from the container that the leases are for. The positions of leases mean nothing in another container:
 * a container with the same name has its own sequence numbers, so its first changes would be left out.
 */
export class SameContainer {
  /** The resource id of the container, when it is known. */
  private rid: string | null = null
  /** The value of the header that is not the id of the container, as the container itself has said. */
  private misleading: string | null = null

  /** @param feed reads the id from the container, if it can. Otherwise the first page tells it. */
  constructor(private readonly feed: Pick<ChangeFeed, 'containerRid'>) {}

  /** Asks which container this is. Call this when the leases are made or found, before any page is read. */
  async learn(): Promise<void> {
    this.rid ??= (await this.feed.containerRid?.()) ?? null
  }

  /**
   * Returns null if the page comes from the container. Otherwise returns a promise that rejects with `ContainerReplacedError`, or
   * resolves if only the header differs.
   */
  check({ headers }: Pick<ChangePage<unknown>, 'headers'>): Promise<void> | null {
    const told = headers[contentPath]
    if (told === undefined || told === this.rid || told === this.misleading || bytesOf(told).length !== 8)
      return null
    this.rid ??= told
    return bytesOf(told).equals(bytesOf(this.rid)) ? null : this.confirm(this.rid, told)
  }

  /** Asks the container itself, because a false alarm would stop the processor for good. */
  private async confirm(former: string, told: string): Promise<void> {
    const rid = (await this.feed.containerRid?.()) ?? told
    if (!bytesOf(rid).equals(bytesOf(former))) throw new ContainerReplacedError(former, rid)
    this.misleading = told
  }
}

/** Resource ids have `-` in the place of `/`. The id of a container has eight bytes. */
function bytesOf(rid: string): Buffer {
  return Buffer.from(rid.replaceAll('-', '/'), 'base64')
}
