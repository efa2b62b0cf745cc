import type { DoorRequest } from './door-messages.js'

/** What the owner of the requests provides. */
export interface PacedRequestsOptions {
  /** Whether the answer of a request may be large. */
  isLarge(request: DoorRequest): boolean
  /** Returns the size of the answers that the other process has not taken, in bytes. */
  unsentBytes(): number
  /** Answers a request. Never rejects. */
  answer(request: DoorRequest): Promise<void>
}

/** The number of requests with large answers that are under way at the same time. */
const mostLarge = 16

/** The size of unsent answers beyond which no request begins, in bytes. */
export const mostUnsentBytes = 8 * 1024 * 1024

/**
 * Begins the requests of a process in their order. A frame may hold thousands of requests, so requests wait while many
 * large answers are made, or while the process does not take its answers. The waiting requests are small, because one
 * frame has a limit and no other frame is read meanwhile.
 */
export class PacedRequests {
  private waiting: DoorRequest[] = []
  /** The number of requests in `waiting` that have begun. It is zero outside `continue`. */
  private begun = 0
  private largeUnderWay = 0

  constructor(private readonly options: PacedRequestsOptions) {}

  /** Begins the requests of a frame, or those that may begin. */
  take(requests: readonly DoorRequest[]): void {
    this.waiting.push(...requests)
    this.continue()
  }

  /** Begins waiting requests. Call it when the process has taken answers. */
  continue(): void {
    for (;;) {
      const request = this.waiting[this.begun]
      if (request === undefined) break
      const isLarge = this.options.isLarge(request)
      if (this.options.unsentBytes() > mostUnsentBytes || (isLarge && this.largeUnderWay === mostLarge)) break
      // Counts the request first, because its answer may call `continue` again before `begin` returns.
      this.begun += 1
      this.begin(request, isLarge)
    }
    this.waiting = this.waiting.slice(this.begun)
    this.begun = 0
  }

  /** Drops the waiting requests, because the connection has ended. */
  end(): void {
    this.waiting = []
  }

  private begin(request: DoorRequest, isLarge: boolean): void {
    const answered = this.options.answer(request)
    if (!isLarge) return
    this.largeUnderWay += 1
    const end = (): void => {
      this.largeUnderWay -= 1
      this.continue()
    }
    answered.then(end, end)
  }
}
