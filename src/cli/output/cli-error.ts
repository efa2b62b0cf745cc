/** What a command's exit says to a script. */
export const exitCodes = {
  ok: 0,
  /** It was done, or a part of it, and the result is a failure; or it cannot be done here now: a port or data directory is in use. */
  failed: 1,
  /** The command line, a file or the configuration is wrong; nothing was done. */
  usage: 2,
  notFound: 3,
  conflict: 4,
  /** The store was not reached, or refused the key or identity. */
  store: 5,
} as const

/** A command that ends with a message for a person and a code for a script. */
export class CliError extends Error {
  override readonly name = 'CliError'
  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Errors of the rooms by name: importing their classes would load everything before the first word is printed. */
const codesByName: Readonly<Record<string, number>> = {
  ConfigurationInvalid: exitCodes.usage,
  SubmissionInvalid: exitCodes.usage,
  CommandInvalid: exitCodes.usage,
  JobNotFound: exitCodes.notFound,
  AzureRefused: exitCodes.store,
  FleetNotRunning: exitCodes.notFound,
  UnitNotFound: exitCodes.notFound,
  JobConflict: exitCodes.conflict,
  CommandRefused: exitCodes.conflict,
  StoreUnavailable: exitCodes.store,
  StoreRefused: exitCodes.store,
}

/** The exit code that an error of any room stands for. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode
  return (error instanceof Error ? codesByName[error.name] : undefined) ?? exitCodes.failed
}
