/** A configuration that cannot be run with; the message lists every problem. */
export class ConfigurationInvalid extends Error {
  override readonly name = 'ConfigurationInvalid'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '))
  }
}
