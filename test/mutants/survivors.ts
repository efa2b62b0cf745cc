/** Mutants that no test need see, and why. */
export interface Survivors {
  readonly path: string
  readonly reason: string
  /** The line that the mutant is in, what it replaces there, and by what. */
  readonly mutants: readonly (readonly [line: string, code: string, becomes: string])[]
}

/** `npm run mutants` fails for a survivor that is not listed here, and for one listed here that is caught. */
export const survivors: readonly Survivors[] = []
