import type { StepDocument } from '../model/documents.js'
import type { DocumentAddress } from '../store/state-store.js'
import { bytesOf } from '../store/transaction.js'
import { stepKeyOf } from './attempts/attempt-key.js'

/** The size of the steps that may wait in memory for a slot. Each of them may contain a list of up to 2 MB. */
const mostBytes = 32 * 2 ** 20

/** An attempt that waits in memory for a slot. */
interface Waiting {
  readonly fence: number
  /** Aborts when the attempt is over, or when another one replaces it. */
  readonly isOver: AbortController
}

/** The steps whose attempts wait in memory for a slot. */
export class StepsInMemory {
  private readonly steps = new Map<string, Waiting>()
  private bytes = 0

  /** Returns the size of a step, or null if there is no room for it. */
  roomFor(step: StepDocument): number | null {
    const bytes = bytesOf(step)
    return this.bytes + bytes <= mostBytes ? bytes : null
  }

  /** Adds a step of this size. Returns the signal that ends its wait, and the function that removes it. */
  add(step: StepDocument, bytes: number): { readonly isOver: AbortSignal; readonly remove: () => void } {
    const key = stepKeyOf(step)
    const waiting = { fence: step.fence, isOver: new AbortController() }
    this.steps.set(key, waiting)
    this.bytes += bytes
    const remove = (): void => {
      if (this.steps.get(key) === waiting) this.steps.delete(key)
      this.bytes -= bytes
    }
    return { isOver: waiting.isOver.signal, remove }
  }

  /** Ends the wait of an attempt before this fence, which would take a slot and a call of its rate. */
  endBefore(step: DocumentAddress, fence: number): void {
    const waiting = this.steps.get(stepKeyOf(step))
    if (waiting !== undefined && waiting.fence < fence) waiting.isOver.abort()
  }
}
