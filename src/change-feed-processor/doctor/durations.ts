/** How far a clock may be off before it is worth a word: beyond what answers under way and whole seconds explain. */
export const toleratedSkewMs = 10_000

/** Whole seconds, for people. */
export function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}

/** How a clock differs from another. */
export function offset(ms: number): string {
  return `${seconds(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'}`
}
