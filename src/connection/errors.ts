/** Thrown for a configuration that cannot be used. The message lists every problem. */
export class ConfigurationInvalid extends Error {
  override readonly name = 'ConfigurationInvalid'
  readonly code = 'CONFIGURATION_INVALID'
  readonly retriable = false
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '))
  }
}
