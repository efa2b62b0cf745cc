import { constants } from 'node:os'

export const exitCodes = {
  ok: 0,
  /**
   * The command ran at least in part and its result is a failure, or it cannot run now because a port or data
   * directory is in use.
   */
  failed: 1,
  /** The command line, a file or the configuration is wrong. Nothing was done. */
  usage: 2,
  notFound: 3,
  conflict: 4,
  /** The store was not reachable, or refused the key or identity. */
  store: 5,
} as const

/** Returns the exit code of a command that a signal has ended before its result was known, as shells count it. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** Ends a command with a message for a person and an exit code for a script. */
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

/** Exit codes by error name. Importing the error classes would load most of the package before any output. */
export const codesByName: Readonly<Record<string, number>> = {
  ConfigurationInvalid: exitCodes.usage,
  SubmissionInvalid: exitCodes.usage,
  CommandInvalid: exitCodes.usage,
  ScheduleInvalid: exitCodes.usage,
  WorkflowInvalid: exitCodes.usage,
  ProcessorOptionsError: exitCodes.usage,
  PayloadStoreMissing: exitCodes.usage,
  JobNotFound: exitCodes.notFound,
  ScheduleNotFound: exitCodes.notFound,
  StepNotFound: exitCodes.notFound,
  AzureRefused: exitCodes.store,
  FleetNotRunning: exitCodes.notFound,
  UnitNotFound: exitCodes.notFound,
  ContainerNotFound: exitCodes.notFound,
  JobConflict: exitCodes.conflict,
  CommandRefused: exitCodes.conflict,
  JobUnreadable: exitCodes.conflict,
  ProcessorRunningError: exitCodes.conflict,
  RefusedLeaseError: exitCodes.conflict,
  LeaseLostError: exitCodes.conflict,
  StoreUnavailable: exitCodes.store,
  StoreRefused: exitCodes.store,
  PayloadUnavailable: exitCodes.store,
  FeedError: exitCodes.store,
  // These are failures and not refusals: what the command was about is damaged, or the code of a user has failed.
  PayloadDamaged: exitCodes.failed,
  DocumentInvalid: exitCodes.failed,
  JobFailed: exitCodes.failed,
  DelegateError: exitCodes.failed,
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode
  return (error instanceof Error ? codesByName[error.name] : undefined) ?? exitCodes.failed
}
