export class FleetNotRunning extends Error {
  override readonly name = 'FleetNotRunning'
  constructor(path: string, options: ErrorOptions) {
    const advice =
      'run this in the folder where "stepward start --instances N" runs, or pass the same --state DIRECTORY'
    super(`no fleet answers at ${path}: ${advice}`, options)
  }
}
