/** Thrown for a configuration that cannot be used. The message lists every problem. */
export class ConfigurationInvalid extends Error {
  override readonly name = 'ConfigurationInvalid'
  readonly code = 'CONFIGURATION_INVALID'
  readonly retriable = false
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '))
  }
}

/** Thrown when no fleet answers at the given path. */
export class FleetNotRunning extends Error {
  override readonly name = 'FleetNotRunning'
  constructor(path: string, options: ErrorOptions) {
    const advice =
      'run this in the folder where "stepward start --instances N" runs, or pass the same --state DIRECTORY'
    super(`no fleet answers at ${path}: ${advice}`, options)
  }
}

/** Thrown when the processor name has no leases. */
export class UnitNotFound extends Error {
  override readonly name = 'UnitNotFound'
  constructor(processorName: string, existing: readonly string[]) {
    const known = existing.map((name) => JSON.stringify(name)).join(', ')
    super(
      `no leases of a processor ${JSON.stringify(processorName)} are there: ` +
        (known === '' ? 'there are none of any; check the containers' : `there are those of ${known}`),
    )
  }
}
