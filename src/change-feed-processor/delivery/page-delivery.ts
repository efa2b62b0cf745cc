import { backoffDelayMs } from '../../platform/internal.js'
import { setAside } from './dead-letter.js'
import { callDelegate, type DelegateCall } from './delegate-call.js'
import type { ChangeFeedContext } from '../feed/delegate.js'
import { contextOf, reportDelivered, type AfterPage, type Delivery, type DeliverySite } from './delivery.js'
import type { DelegateError } from '../feed/errors.js'
import { afterFailure, type Slice } from '../options/failure-policy.js'
import type { ReadPage } from './page-positions.js'
import type { TrackedPage } from './progress.js'
import type { PageDelegates } from '../runtime/runtime.js'

/** The result of a slice: its changes are done, other slices must be delivered instead, or delivery ends. */
type AfterSlice =
  | { readonly kind: 'done' }
  | { readonly kind: 'instead'; readonly slices: readonly Slice[] }
  | Exclude<AfterPage, { kind: 'readOn' }>

const readOn: AfterPage = { kind: 'readOn' }
const done: AfterSlice = { kind: 'done' }

/**
 * Delivers page by page. The next page follows only after the delegate has handled the current page, or after
 * the changes that failed are set aside.
 *
 * With automatic checkpoints, this class reports the handled changes. With manual checkpoints, the delegate
 * reports them. If a delegate with manual checkpoints fails and failures are not limited, all changes since
 * its last checkpoint are delivered again, as in .NET.
 */
export class PageDelivery implements Delivery {
  /**
   * The number of failures at one place. It is kept when this place is read again, so that the pauses grow.
   */
  private failing = { place: '', failures: 0 }

  constructor(
    private readonly site: DeliverySite,
    private readonly delegates: PageDelegates,
  ) {}

  async deliver(read: ReadPage): Promise<AfterPage> {
    const { progress } = this.site
    const { changes, charge } = read.page
    if (changes.length === 0) {
      await progress.nothingNew(read)
      return readOn
    }
    const page = progress.track(read)
    // The array is a stack, so its last slice is delivered first.
    const open: Slice[] = [{ from: 0, to: changes.length, failures: 0, isPart: false }]
    for (let slice = open.pop(); slice !== undefined; slice = open.pop()) {
      const called = await this.call(page, slice)
      if (called.kind === 'close') return called
      const after = called.kind === 'handled' ? done : await this.afterFailure(page, slice, called.error)
      if (after.kind === 'instead') open.push(...after.slices.toReversed())
      else if (after.kind !== 'done') return after
      else if (!this.isManual) await progress.handledUpTo(page, slice.to)
    }
    reportDelivered(this.site, changes, charge)
    return readOn
  }

  settled(): Promise<null> {
    return Promise.resolve(null)
  }

  ended(): Promise<void> {
    return Promise.resolve()
  }

  private get isManual(): boolean {
    return this.site.runtime.options.checkpoint === 'manual'
  }

  private call(page: TrackedPage, slice: Slice): Promise<DelegateCall> {
    const changes = page.page.changes.slice(slice.from, slice.to)
    return callDelegate(this.site, (signal) =>
      this.delegates.onChanges(changes, this.contextFor(page, slice, signal)),
    )
  }

  private async afterFailure(page: TrackedPage, failed: Slice, error: DelegateError): Promise<AfterSlice> {
    const { runtime, signal } = this.site
    const { failureLimits } = runtime.options
    const next = afterFailure(failed, failureLimits)
    switch (next.kind) {
      case 'bisect':
        return { kind: 'instead', slices: next.halves }
      case 'retry': {
        const isRewound = this.isManual && failureLimits.tries === null
        await this.backOff(isRewound ? this.failuresAt(page) : next.slice.failures)
        return isRewound ? { kind: 'readAgain' } : { kind: 'instead', slices: [next.slice] }
      }
      case 'setAside': {
        const context = contextOf(this.site, page, signal)
        for (const change of page.page.changes.slice(failed.from, failed.to)) {
          const poison = { change, error, attempts: next.slice.failures, context }
          const stopped = await setAside(poison, this.site)
          if (stopped !== null) return { kind: 'close', closing: stopped }
        }
        return done
      }
    }
  }

  private async backOff(failures: number): Promise<void> {
    const { runtime, signal } = this.site
    const { backoff } = runtime.options.failureLimits
    await runtime.clock.sleep(backoffDelayMs(failures, backoff, runtime.random), signal)
  }

  private failuresAt({ from }: TrackedPage): number {
    const place = JSON.stringify(from.start)
    const failures = this.failing.place === place ? this.failing.failures + 1 : 1
    this.failing = { place, failures }
    return failures
  }

  private contextFor(page: TrackedPage, { from, to }: Slice, signal: AbortSignal): ChangeFeedContext {
    const { progress } = this.site
    return {
      checkpoint: async (change) => {
        const index = change === undefined ? to - 1 : page.page.changes.findIndex((one) => one === change)
        if (index < from || index >= to)
          throw new RangeError(
            'checkpoint was called with a value that is not a change of this delegate call; pass one of ' +
              'its changes, or nothing',
          )
        await progress.store(page, index + 1)
      },
      holdCheckpoint: () => progress.hold(page),
      keepForSuccessor: () => progress.keepForSuccessor(page),
      ...contextOf(this.site, page, signal),
    }
  }
}
