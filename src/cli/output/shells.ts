/**
 * The shells for which `stepward completion` prints scripts. The help needs these names without the scripts.
 */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]
