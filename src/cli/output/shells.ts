/**
 * The shells for which `stepward completion` prints scripts. The help needs these names without loading the
 * scripts, so they have their own file.
 */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]
