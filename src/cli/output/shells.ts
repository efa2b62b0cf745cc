/**
 * The shells for which `stepward completion` prints scripts. Apart from the scripts, because the help names
 * them.
 */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]
