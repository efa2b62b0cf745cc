export class UnitNotFound extends Error {
  override readonly name = 'UnitNotFound'
  constructor(processorName: string, existing: readonly string[]) {
    const known = existing.map((name) => JSON.stringify(name)).join(', ')
    super(
      `processor ${JSON.stringify(processorName)} has no leases: ` +
        (known === '' ? 'no processor has any; check the containers' : `name one of ${known}`),
    )
  }
}

/** A container that a person named does not exist. */
export class ContainerNotFound extends Error {
  override readonly name = 'ContainerNotFound'
}
