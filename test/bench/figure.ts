/** One line of the benchmark's table. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What it must reach. Absent: for information. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number }
}

/** Programs of Node that run in processes of their own. */
export interface Programs {
  /** The built program. */
  readonly cli: string
  /** `constant-server` as JavaScript. */
  readonly constantServer: string
}

/** How much is measured: enough for figures, or just enough to see that it runs. */
export interface Effort {
  readonly seconds: number
  /** Documents that are loaded where many are wanted. */
  readonly loaded: number
  /** Fresh processes that are started. */
  readonly starts: number
}

export const fullEffort: Effort = { seconds: 3, loaded: 100_000, starts: 5 }
export const quickEffort: Effort = { seconds: 0.6, loaded: 100_000, starts: 3 }
export const shortEffort: Effort = { seconds: 0.05, loaded: 500, starts: 1 }

export function isMet({ value, target }: Figure): boolean {
  if (target === undefined) return true
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost
}

/** Runs `work` again and again for so long; answers how much of it was done per second. */
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

/** The one in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
