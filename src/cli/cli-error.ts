import { ConfigurationInvalid } from '../host/index.js'
import {
  JobConflict,
  JobFailed,
  JobNotFound,
  StoreRefused,
  StoreUnavailable,
  SubmissionInvalid,
} from '../sas/index.js'

/** What a command's exit says to a script. */
export const exitCodes = {
  ok: 0,
  /** It was done, and the result is a failure. */
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

/** The exit code that an error of any room stands for. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode
  if (error instanceof ConfigurationInvalid || error instanceof SubmissionInvalid) return exitCodes.usage
  if (error instanceof JobNotFound) return exitCodes.notFound
  if (error instanceof JobConflict) return exitCodes.conflict
  if (error instanceof StoreUnavailable || error instanceof StoreRefused) return exitCodes.store
  if (error instanceof JobFailed) return exitCodes.failed
  return exitCodes.failed
}
