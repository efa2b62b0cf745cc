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

/** The arguments of commands by their names in the code. An option of the same name is not listed. */
const argumentsByName = new Map([
  ['jobId', 'JOB'],
  ['step', 'STEP'],
  ['reason', '--why'],
  ['key', '--event-key'],
])

/** The options that have the same name in the code. */
const optionNames = ['by', 'why', 'note', 'from', 'to', 'as', 'after', 'assignee', 'priority', 'partitionKey']
const moreOptionNames = [
  'replyTo',
  'completeWithin',
  'retainFor',
  'dryRun',
  'expiresIn',
  'atOnce',
  'perSecond',
  'burst',
]

for (const name of [...optionNames, ...moreOptionNames]) {
  argumentsByName.set(name, `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`)
}

/**
 * Leaves out the name of a call such as "limits.set". At the beginning of each problem, replaces the name of an option
 * in the code by its name on the command line.
 */
export function inCommandWords(message: string): string {
  return message
    .replace(/^[a-z]+\.[a-z]+: /iu, '')
    .replaceAll(/(^|: |; )([a-zA-Z]+)(?= is | must )/gu, (whole, before: string, name: string) => {
      const known = argumentsByName.get(name)
      return known === undefined ? whole : `${before}${known}`
    })
}

/** Exit codes by error name. Importing the error classes would load most of the package before any output. */
const codesByName: Readonly<Record<string, number>> = {
  ConfigurationInvalid: exitCodes.usage,
  SubmissionInvalid: exitCodes.usage,
  CommandInvalid: exitCodes.usage,
  JobNotFound: exitCodes.notFound,
  ScheduleNotFound: exitCodes.notFound,
  StepNotFound: exitCodes.notFound,
  AzureRefused: exitCodes.store,
  FleetNotRunning: exitCodes.notFound,
  UnitNotFound: exitCodes.notFound,
  JobConflict: exitCodes.conflict,
  CommandRefused: exitCodes.conflict,
  StoreUnavailable: exitCodes.store,
  StoreRefused: exitCodes.store,
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode
  return (error instanceof Error ? codesByName[error.name] : undefined) ?? exitCodes.failed
}
