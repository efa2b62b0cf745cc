/**
 * A clock difference up to this size is not reported, because delays and rounding to whole seconds can
 * explain it.
 */
export const toleratedSkewMs = 10_000

/** Formats a duration in whole seconds, for people. */
export function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}

/** Describes how far one clock is ahead of another or behind it. */
export function offset(ms: number): string {
  return `${seconds(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'}`
}
