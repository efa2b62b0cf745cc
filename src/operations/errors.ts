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
