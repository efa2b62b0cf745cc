import { systemClock } from '../../../platform/index.js'
import { BackgroundLoop } from '../../../platform/internal.js'
import { openedStore, type OpenedStore } from './opened-store.js'

/** The pause between two looks at the process that has the store open. */
const lookEveryMs = 1_000

/**
 * Opens the embedded store as soon as the process that has it open ends, so that the processes that use it through its
 * socket continue.
 *
 * States: idle → looking (`start`) → holding → ended (`end`).
 */
export class StoreSuccessor {
  private own: OpenedStore | null = null
  private readonly loop: BackgroundLoop

  constructor(
    data: string,
    /** Checks whether another process has the store open. */
    isOpenElsewhere: () => Promise<boolean>,
  ) {
    this.loop = new BackgroundLoop({
      clock: systemClock,
      turn: async () => {
        if (this.own === null && !(await isOpenElsewhere())) this.own = await openedStore(data)
        return lookEveryMs
      },
      // Another process was faster, or the directory cannot be used at the moment.
      onError: () => lookEveryMs,
    })
  }

  start(): void {
    this.loop.start()
  }

  async end(): Promise<void> {
    await this.loop.stop()
    await this.own?.close()
  }
}
