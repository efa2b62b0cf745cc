/** The clock difference that is not reported: requests under way and whole seconds explain that much. */
export const toleratedSkewMs = 10_000

/** Formats a duration in whole seconds, for people. */
export function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}

/** Describes the difference of a clock from another. */
export function offset(ms: number): string {
  return `${seconds(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'}`
}
