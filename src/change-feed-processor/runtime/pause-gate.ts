import { setMaxListeners } from 'node:events'

/**
 * Holds deliveries back while the processor is paused.
 *
 * States: open → shut (`shut`) → open (`open`). A waiting delivery continues when the gate opens or when the
 * delivery's own signal aborts. A paused processor can therefore be stopped.
 */
export class PauseGate {
  private opening = new AbortController()
  private isShut = false

  get isPaused(): boolean {
    return this.isShut
  }

  shut(): void {
    if (this.isShut) return
    this.isShut = true
    this.opening = new AbortController()
    // Every lease may wait here, and removes its listener when its wait ends.
    setMaxListeners(0, this.opening.signal)
  }

  open(): void {
    this.isShut = false
    this.opening.abort()
  }

  /** Resolves when the gate is open or `signal` aborts. The caller must check which of the two happened. */
  async passed(signal: AbortSignal): Promise<void> {
    while (this.isShut && !signal.aborted) {
      const { signal: opened } = this.opening
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          opened.removeEventListener('abort', wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        opened.addEventListener('abort', wake, { once: true })
        signal.addEventListener('abort', wake, { once: true })
      })
    }
  }
}
