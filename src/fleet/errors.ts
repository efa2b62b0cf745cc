const commandAdvice =
  'run this in the folder where "stepward start --instances N" runs, or pass the same --state DIRECTORY'

/** No fleet answers. The default advice is for a person at a terminal. */
export class FleetNotRunning extends Error {
  override readonly name = 'FleetNotRunning'
  constructor(
    readonly path: string,
    options: ErrorOptions,
    advice = commandAdvice,
  ) {
    super(`no fleet answers at ${path}: ${advice}`, options)
  }
}
