import type { Clock } from './clock.js'

/** Settles like `work`, or like `atLimit` (which may throw) if `work` takes longer than `limitMs`. */
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

/** Settles like `work`. Calls `onLate` once if `work` takes longer than `limitMs`. */
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
