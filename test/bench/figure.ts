/** One line of a benchmark's table. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The value to reach. Without it, the figure is for information. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number }
}

/** Programs that run in their own processes. */
export interface Programs {
  /** The built program. */
  readonly cli: string
  /** `constant-server` as JavaScript. */
  readonly constantServer: string
}

/** The amount of measurement: enough for figures, or just enough to check that the benchmark runs. */
export interface Effort {
  readonly seconds: number
  /** The number of documents to load where many are needed. */
  readonly loaded: number
  /** The number of processes to start. */
  readonly starts: number
}

export const fullEffort: Effort = { seconds: 3, loaded: 100_000, starts: 5 }
export const quickEffort: Effort = { seconds: 0.6, loaded: 100_000, starts: 3 }
export const shortEffort: Effort = { seconds: 0.05, loaded: 500, starts: 1 }

export function isMet({ value, target }: Figure): boolean {
  if (target === undefined) return true
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost
}

/** Calls `work` repeatedly for this time, and returns how much was done per second. */
export async function perSecond(seconds: number, work: () => Promise<number>): Promise<number> {
  const started = performance.now()
  let done = 0
  let elapsed = 0
  while (elapsed < seconds * 1_000) {
    done += await work()
    elapsed = performance.now() - started
  }
  return (done * 1_000) / elapsed
}

/** Returns the middle value. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
