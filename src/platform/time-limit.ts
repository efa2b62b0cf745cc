import type { Clock } from './clock.js'

/** How long to wait for something. */
export interface TimeLimit {
  readonly clock: Clock
  readonly limitMs: number
}

/**
 * Settles as `work` does, or after the time limit as `atLimit` does, which may throw. Later results of `work` are
 * ignored.
 */
export function withinLimit<T, L>(work: Promise<T>, limit: TimeLimit, atLimit: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(Promise.resolve().then(atLimit))
    noticingLate(work, limit, giveUp).then(resolve, reject)
  })
}

/** Settles as `work` does. Calls `onLate` once if that takes longer than the time limit. */
export async function noticingLate<T>(
  work: Promise<T>,
  { clock, limitMs }: TimeLimit,
  onLate: () => void,
): Promise<T> {
  const timer = clock.schedule(limitMs, onLate)
  try {
    return await work
  } finally {
    timer.cancel()
  }
}
