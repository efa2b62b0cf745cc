import type { Clock } from './clock.js'

/**
 * Settles as `work` does, or after `limitMs` as `atLimit` does, which may throw. Later results are ignored.
 */
export function withinLimit<T, L>(
  clock: Clock,
  limitMs: number,
  work: Promise<T>,
  atLimit: () => L,
): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(Promise.resolve().then(atLimit))
    noticingLate(clock, limitMs, work, giveUp).then(resolve, reject)
  })
}

/** Settles as `work` does. Calls `onLate` once if that takes longer than `limitMs`. */
export async function noticingLate<T>(
  clock: Clock,
  limitMs: number,
  work: Promise<T>,
  onLate: () => void,
): Promise<T> {
  const timer = clock.schedule(limitMs, onLate)
  try {
    return await work
  } finally {
    timer.cancel()
  }
}
