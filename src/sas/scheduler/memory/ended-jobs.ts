import type { DocumentAddress } from '../../store/state-store.js'

/** In the feed, the last steps of a job follow its end at once, so few ended jobs are still needed. */
const mostEnded = 500

/**
 * The ended jobs whose end the feed has delivered, oldest first. `forget` is called for all but the newest ones, so
 * that the memory of a scheduler does not fill with ended jobs.
 */
export class EndedJobs {
  private readonly addresses = new Map<string, DocumentAddress>()

  constructor(private readonly forget: (address: DocumentAddress) => void) {}

  note({ pk, id }: DocumentAddress): void {
    const key = `${pk}\n${id}`
    this.addresses.delete(key)
    this.addresses.set(key, { pk, id })
    if (this.addresses.size <= mostEnded) return
    for (const [oldest, address] of this.addresses) {
      this.addresses.delete(oldest)
      this.forget(address)
      return
    }
  }
}
